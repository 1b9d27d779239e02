import { createServer, type IncomingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { type LoopbackServer, listenOnLoopback } from "./loopback-server.ts";

/** A request to the proxy. */
export interface ProxiedRequest {
  readonly method: string;
  /** The absolute URL, or `host:port` for a tunnel. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

/** A test's own proxy, which forwards plain requests and opens tunnels. */
export interface HttpProxy extends LoopbackServer {
  readonly requests: readonly ProxiedRequest[];
}

/** Resolves names that end with `.test` to this machine. If `authorization` is set, requests without it get 407. */
export async function httpProxy(authorization?: string): Promise<HttpProxy> {
  const requests: ProxiedRequest[] = [];
  const isKnown = (headers: IncomingHttpHeaders) =>
    authorization === undefined || headers["proxy-authorization"] === authorization;
  const server = createServer((incoming, response) => {
    const { method = "", url: target = "", headers } = incoming;
    requests.push({ method, target, headers });
    if (!isKnown(headers)) {
      response.writeHead(407).end();
      return;
    }
    const forwarded = request(target, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(forwarded);
  });
  server.on("connect", ({ method = "", url: target = "", headers }, client) => {
    requests.push({ method, target, headers });
    if (!isKnown(headers)) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    const { hostname, port } = new URL(`http://${target}`);
    const upstream = connect(Number(port), hostname.endsWith(".test") ? "127.0.0.1" : hostname, () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    // If one side of a tunnel closes, the other side is useless.
    upstream.on("error", () => undefined).on("close", () => client.destroy());
    client.on("error", () => undefined).on("close", () => upstream.destroy());
  });
  return { requests, ...(await listenOnLoopback(server)) };
}
