import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** The ports that `freePort` has returned. */
const given = new Set<number>();

/**
 * Returns a free loopback TCP port, below those that systems give to connections and to servers that ask for any port:
 * no other program takes it before, between or after the uses of a test. Prefer port 0 for programs that can choose a
 * port themselves; this function is for those that cannot, and for ports on which nothing listens.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_768);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return false;
    throw error;
  }
  server.close();
  await once(server, "close");
  return true;
}
