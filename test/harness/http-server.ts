import { createServer, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { type LoopbackServer, listenOnLoopback } from "./loopback-server.ts";

/** A request as the server saw it. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What to answer; the status is 200 and the body empty unless given. An object is sent as JSON. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
}

/** A server of a test's own on a free loopback port. */
export interface HttpServer extends LoopbackServer {
  /** Every request so far, oldest first. */
  readonly requests: readonly ReceivedRequest[];
}

/** Serves what `answer` returns; one that throws answers 500 with the error's text. */
export async function httpServer(
  answer: (request: ReceivedRequest) => Reply | Promise<Reply> = () => ({}),
): Promise<HttpServer> {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const { method = "", url: path = "", headers } = incoming;
    const body = await text(incoming).catch(() => undefined);
    if (body === undefined) return; // the client cut the request off
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
