import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { type Program, start } from "../processes.ts";
import { until } from "../wait.ts";
import { type Broker, requireProgram, servingProgram, startOnPort } from "./broker.ts";

/** Starts memcached with values of at most 1 MB; `address` is `127.0.0.1:PORT`. */
export async function startMemcached(port?: number): Promise<Broker> {
  const command = requireProgram("memcached", "Debian package memcached");
  const server = await startOnPort(port, async (at) => {
    // memcached refuses to run as root without a user to switch to.
    const program = start(command, ["-l", "127.0.0.1", "-p", String(at), "-U", "0", "-u", "nobody"]);
    const listening = until(() => isServing(program, at), { what: "memcached to listen" });
    return servingProgram("memcached", program, listening);
  });
  return {
    address: `127.0.0.1:${server.port}`,
    stop: async () => {
      await server.program.stop();
    },
  };
}

/** Whether this program serves at the port: another program may have taken the port first. */
async function isServing({ process }: Program, port: number): Promise<boolean> {
  const socket = connect({ host: "127.0.0.1", port });
  socket.setTimeout(1_000, () => socket.destroy(new Error("it does not answer")));
  socket.end("stats\r\nquit\r\n");
  return (await text(socket)).includes(`STAT pid ${process.pid}\r\n`);
}
