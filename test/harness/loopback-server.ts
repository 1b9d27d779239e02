import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A server that listens on a free loopback port. */
export interface LoopbackServer {
  /** `http://127.0.0.1:PORT`, no slash at the end. */
  readonly url: string;
  /** Ends open connections too. */
  close(): Promise<void>;
}

/** Has the server listen. */
export async function listenOnLoopback(server: Server): Promise<LoopbackServer> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
