import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/**
 * Returns a free loopback TCP port. Prefer port 0 for programs that can choose a port themselves; this function is for
 * those that cannot.
 */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  server.close();
  await once(server, "close");
  return port;
}
