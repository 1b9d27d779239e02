// Real servers behind a gateway, which behave as a test needs.

import { once } from "node:events";
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { proxyTo, type UpstreamBlock } from "../../../runtime/proxy/upstream.ts";
import { startGateway, type TestGateway, type TestGatewayOptions } from "../gateway/start-gateway.ts";

/** A server for one test. */
export interface RawUpstream {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly server: Server;
  /** The number of connections made so far. */
  readonly connections: number;
  close(): Promise<void>;
}

/** Starts an HTTP server that handles every request with `answer`. */
export async function startUpstream(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<RawUpstream> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a TCP server that listens has such an address
    server,
    get connections() {
      return connections;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Starts a TCP server that writes what `serve` writes, whether it is HTTP or not. */
export async function startTcpUpstream(
  serve: (socket: Socket) => void,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined); // the gateway may reset a connection that it gives up
    serve(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // as above
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Starts a gateway that forwards `/orders/` to the upstream. */
export function startProxy(
  block: UpstreamBlock,
  { listenPath = "/orders/", ...options }: TestGatewayOptions & { readonly listenPath?: string } = {},
): Promise<TestGateway> {
  const api = { id: "orders", listenPath, streams: {}, upstream: () => proxyTo(block) };
  return startGateway([api], options);
}

/** A response from Node's client, with details that `fetch` hides. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly trailers: IncomingMessage["trailers"];
  readonly body: string;
}

/** Sends a request with exactly these headers. */
export async function ask(
  url: string,
  {
    method = "GET",
    headers = {},
    body,
  }: { method?: string; headers?: OutgoingHttpHeaders; body?: string } = {},
): Promise<PlainAnswer> {
  const outgoing = httpRequest(url, { method, headers, agent: false });
  outgoing.end(body);
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  const read = await text(answer);
  const { statusCode: status = 0, headers: answered, trailers } = answer;
  return { status, headers: answered, trailers, body: read };
}
