import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../directories.ts";
import { start } from "../processes.ts";
import { type Broker, type BrokerPlace, requireProgram, startOnPort } from "./broker.ts";

/** Options of a Redis that a test starts for itself. */
export interface RedisOptions extends BrokerPlace {
  /** Further arguments, such as `--requirepass secret`. */
  readonly configuration?: readonly string[];
}

/** Starts Redis, which persists every write in its directory; `address` is `redis://127.0.0.1:PORT`. */
export async function startRedis(options: RedisOptions = {}): Promise<Broker> {
  const { port, directory = temporaryDirectory("redis"), configuration = [] } = options;
  const command = requireProgram("redis-server", "Debian package redis-server");
  const server = await startOnPort(port, async (at) => {
    const place = ["--bind", "127.0.0.1", "--port", String(at), "--dir", directory];
    const keeping = ["--save", "", "--appendonly", "yes", "--appendfsync", "always"];
    const program = start(command, [...place, ...keeping, ...configuration]);
    await program.matching(/Ready to accept connections/);
    return program;
  });
  return {
    address: `redis://127.0.0.1:${server.port}`,
    stop: async () => {
      await server.program.stop();
    },
  };
}

/** Starts a sentinel that watches the Redis at `leader` as `mymaster`; `address` is `redis://127.0.0.1:PORT`. */
export async function startSentinel(leader: string): Promise<Broker> {
  const directory = temporaryDirectory("sentinel");
  const file = join(directory, "sentinel.conf");
  const { hostname, port: leaderPort } = new URL(leader);
  writeFileSync(file, `sentinel monitor mymaster ${hostname} ${leaderPort} 1\n`);
  const command = requireProgram("redis-server", "Debian package redis-server");
  const server = await startOnPort(undefined, async (at) => {
    const program = start(command, [file, "--sentinel", "--bind", "127.0.0.1", "--port", String(at)]);
    await program.matching(/\+monitor master mymaster/);
    return program;
  });
  return {
    address: `redis://127.0.0.1:${server.port}`,
    stop: async () => {
      await server.program.stop();
    },
  };
}
