// A WebSocket server for tests.

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import type { Certificates } from "../../harness/certificates.ts";
import { Queue } from "../../harness/queue.ts";

/** A client as the server sees it. */
export interface Peer {
  readonly socket: WebSocket;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** The frames that the server received. */
  readonly frames: Queue<{ text: string; isBinary: boolean }>;
}

interface ServerOptions {
  readonly port?: number;
  /** Certificates for TLS; if set, the server requests a certificate from the client. */
  readonly certificates?: Certificates;
  /** The status with which the server refuses every handshake. */
  readonly refuse?: number;
  /** A text that is sent immediately after the handshake. */
  readonly greeting?: string;
  readonly compression?: boolean;
}

/** Starts a server on `port`, by default a free one. */
export async function startServer({
  port = 0,
  certificates,
  refuse = 0,
  greeting = "",
  compression = false,
}: ServerOptions = {}) {
  const web = certificates
    ? createTlsServer({
        cert: certificates.server.cert,
        key: certificates.server.key,
        ca: certificates.authority.cert,
        requestCert: true,
        rejectUnauthorized: true,
      })
    : createServer();
  const peers = new Queue<Peer>();
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: compression });
  web.on("upgrade", (request, raw, head) => {
    if (refuse > 0) raw.end(`HTTP/1.1 ${refuse} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
    else
      sockets.handleUpgrade(request, raw, head, (socket) => {
        const frames: Peer["frames"] = new Queue();
        socket.on("message", (bytes, isBinary) => frames.push({ text: String(bytes), isBinary }));
        if (greeting !== "") socket.send(greeting);
        peers.push({ socket, path: request.url, headers: request.headers, frames });
      });
  });
  await once(web.listen(port, "127.0.0.1"), "listening");
  const at = (web.address() as AddressInfo).port; // a TCP server that listens has this kind of address
  return {
    port: at,
    url: `${certificates ? "wss" : "ws"}://localhost:${at}`,
    peers,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      await new Promise((done) => web.close(done));
    },
  };
}
