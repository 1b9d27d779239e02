// Documents of APIs for tests that compile, deploy or send them: what surrounds the streams, and streams that several ask.

/** An API named `id` at `/id/`, unless another listen path is given; `streams` is the YAML below `streams:`. */
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

/** A stream that answers each request to `path` with `answer`. */
export function answering(answer: string, { name = "talk", path = "/say" } = {}): string {
  return `${name}:
  input: { http_server: { path: ${path} } }
  pipeline: { processors: [{ mapping: 'root = "${answer}"' }] }
  output: { sync_response: {} }
`;
}

/** A stream that passes what is posted to `/tell` on to one of those who listen at `/events`. */
export const telling = `feed:
  input: { http_server: { path: /tell } }
  output: { http_server: { stream_path: /events } }
`;

/** What the API `id` of the gateway at `url` answers at `/say`; the status where it does not. */
export async function answerOf(
  url: string,
  id: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const response = await fetch(`${url}/${id}/say`, { method: "POST", body: "x", headers });
  return response.ok ? response.text() : String(response.status);
}

/**
 * The API `orders`, which asks for keys and writes what is posted to `/orders/new` to `output`, for sets with a portal
 * that gives out the keys.
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
