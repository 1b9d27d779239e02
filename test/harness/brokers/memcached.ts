import { connect } from "node:net";
import { start } from "../processes.ts";
import { until } from "../wait.ts";
import { type Broker, requireProgram, startOnPort } from "./broker.ts";

/** Starts memcached with values of at most 1 MB; `address` is `127.0.0.1:PORT`. */
export async function startMemcached(port?: number): Promise<Broker> {
  const command = requireProgram("memcached", "Debian package memcached");
  const server = await startOnPort(port, async (at) => {
    // As root it wants to be told which user to be.
    const program = start(command, ["-l", "127.0.0.1", "-p", String(at), "-U", "0", "-u", "nobody"]);
    await until(() => isListening(at), { what: "memcached to listen" });
    return program;
  });
  return {
    address: `127.0.0.1:${server.port}`,
    stop: async () => {
      await server.program.stop();
    },
  };
}

function isListening(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: "127.0.0.1", port });
  socket.on("connect", () => resolve(true));
  socket.on("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}
