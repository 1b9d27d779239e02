import { createServer, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { type LoopbackServer, listenOnLoopback } from "./loopback-server.ts";

/** A request as the server received it. */
export interface ReceivedRequest {
  readonly method: string;
  /** The path and the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A response; the status defaults to 200 and the body to empty. An object is sent as JSON. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
}

/** A test's own server on a free loopback port. */
export interface HttpServer extends LoopbackServer {
  /** All requests so far, oldest first. */
  readonly requests: readonly ReceivedRequest[];
}

/** Serves the results of `answer`; if it throws, the response is 500 with the error's text. */
export async function httpServer(
  answer: (request: ReceivedRequest) => Reply | Promise<Reply> = () => ({}),
): Promise<HttpServer> {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const { method = "", url: path = "", headers } = incoming;
    const body = await text(incoming).catch(() => undefined);
    if (body === undefined) return; // the client aborted the request
    const request = { method, path, headers, body };
    requests.push(request);
    const reply = await Promise.resolve(request)
      .then(answer)
      .catch((error: unknown): Reply => ({ status: 500, body: String(error) }));
    const isText = typeof reply.body === "string" || reply.body === undefined;
    response.writeHead(reply.status ?? 200, {
      ...(isText ? {} : { "content-type": "application/json" }),
      ...reply.headers,
    });
    response.end(isText ? reply.body : JSON.stringify(reply.body));
  });
  return { requests, ...(await listenOnLoopback(server)) };
}
