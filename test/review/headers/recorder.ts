// A server that records requests as raw bytes, and answers each with 200.

import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** A server of raw HTTP/1.1. */
export interface Recorder {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** The heads of all requests so far, as received. */
  readonly heads: readonly string[];
  close(): Promise<void>;
}

/** Starts a recorder on a free port. It reads bodies only by their `Content-Length`. */
export async function startRecorder(): Promise<Recorder> {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.once("close", () => sockets.delete(socket)));
    serve(socket, heads);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  return {
    url: `http://127.0.0.1:${port}`,
    heads,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

function serve(socket: Socket, heads: string[]): void {
  let text = "";
  socket.on("error", () => undefined); // a client that is gone
  socket.on("data", (bytes) => {
    text += bytes.toString("latin1");
    for (;;) {
      const end = text.indexOf("\r\n\r\n");
      if (end === -1) return;
      const head = text.slice(0, end);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (text.length < end + 4 + length) return;
      text = text.slice(end + 4 + length);
      heads.push(head);
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    }
  });
}

/** Returns the header lines of a head. */
export function headersOf(head: string): readonly (readonly [name: string, value: string])[] {
  return head
    .split("\r\n")
    .slice(1)
    .map((line) => {
      const at = line.indexOf(":");
      return [line.slice(0, at), line.slice(at + 1).trim()] as const;
    });
}
