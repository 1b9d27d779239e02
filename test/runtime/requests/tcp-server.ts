// Servers that answer requests of components with chosen bytes.

import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { http } from "../../../runtime/processors/http.ts";
import { batchOf, componentContext, textOfBatch } from "../connectors/contexts.ts";

/** Starts a TCP server that handles each connection with `serve`. */
export async function tcpServer(serve: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    serve(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  return {
    port,
    sockets,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

/** A short response. */
export const once200 = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
/** Options of requests that are sent once. */
export const fast = { retries: 0, timeout: 60_000 };

/** Returns the text of the response to one request, or the answer of its failure. */
export async function outcome(options: Parameters<typeof http>[0]) {
  const step = http({ ...fast, ...options });
  const [batch = []] = await step.process(batchOf("m"), componentContext());
  await step.close?.();
  return batch[0]?.failure?.answer ?? textOfBatch(batch);
}
