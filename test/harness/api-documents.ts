// API documents for tests that compile, deploy or send them: a frame around streams, and commonly used streams.

/** Returns an API named `id` at `/id/`, or at the given listen path; `streams` is the YAML below `streams:`. */
export function apiOf(
  streams: string,
  options: { readonly id?: string; readonly listenPath?: string } = {},
): string {
  const { id = "orders" } = options;
  const { listenPath = `/${id}/` } = options;
  return `openapi: 3.1.0
info: { title: ${id}, version: 1.0.0 }
paths: {}
x-gw-api-gateway:
  info: { id: ${id}, name: ${id}, state: { active: true } }
  server:
    listenPath: { value: ${listenPath} }
x-gw-streaming:
  streams:
${streams.replace(/^(?=.)/gm, "    ")}`;
}

/** Returns a stream that answers each request to `path` with `answer`. */
export function answering(answer: string, { name = "talk", path = "/say" } = {}): string {
  return `${name}:
  input: { http_server: { path: ${path} } }
  pipeline: { processors: [{ mapping: 'root = "${answer}"' }] }
  output: { sync_response: {} }
`;
}

/** A stream that passes each message posted to `/tell` to one of the clients that listen at `/events`. */
export const sharing = `feed:
  input: { http_server: { path: /tell } }
  output: { http_server: { stream_path: /events } }
`;

/** Returns the body that the API `id` of the gateway at `url` answers at `/say`, or the status if that is not 200. */
export async function answerOf(
  url: string,
  id: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const response = await fetch(`${url}/${id}/say`, { method: "POST", body: "x", headers });
  return response.ok ? response.text() : String(response.status);
}

/**
 * Returns the API `orders`, which requires keys and writes messages posted to `/orders/new` to `output`, for sets with
 * a portal that issues the keys.
 */
export function keyedOrders(output: string): string {
  return `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Api-Key } } }
security: [{ key: [] }]
x-gw-api-gateway:
  info: { id: orders }
  server:
    listenPath: { value: /orders/ }
    authentication: { enabled: true, securitySchemes: { key: { enabled: true } } }
x-gw-streaming:
  streams:
    orders:
      input: { http_server: { path: /new } }
      output: ${output}
`;
}
