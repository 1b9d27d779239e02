import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/**
 * A loopback TCP port nothing listens on. Programs that can choose one themselves (port 0) are better
 * asked to; this is for those that cannot.
 */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  server.close();
  await once(server, "close");
  return port;
}
