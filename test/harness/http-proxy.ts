import { createServer, type IncomingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { type LoopbackServer, listenOnLoopback } from "./loopback-server.ts";

/** What a proxy was asked for. */
export interface ProxiedRequest {
  readonly method: string;
  /** The whole address, or `host:port` of a tunnel. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

/** A proxy of a test's own: forwards plain requests and opens tunnels. */
export interface HttpProxy extends LoopbackServer {
  readonly requests: readonly ProxiedRequest[];
}

/** Names that end with `.test` are this machine. Answers 407 to whoever does not send `authorization`, where one is given. */
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
    // Half a tunnel is of no use to anybody.
    upstream.on("error", () => undefined).on("close", () => client.destroy());
    client.on("error", () => undefined).on("close", () => upstream.destroy());
  });
  return { requests, ...(await listenOnLoopback(server)) };
}
