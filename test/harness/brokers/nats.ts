import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { temporaryDirectory } from "../directories.ts";
import { start } from "../processes.ts";
import { until } from "../wait.ts";
import { type Broker, type BrokerPlace, requireProgram, servingProgram, startOnPort } from "./broker.ts";

/** The port, directory and configuration of a server. */
export interface NatsPlace extends BrokerPlace {
  /** Further lines of its configuration file, such as permissions. */
  readonly config?: string;
}

/** Starts a NATS server with JetStream; `address` is `nats://127.0.0.1:PORT`. */
export async function startNats({
  port,
  directory = temporaryDirectory("nats"),
  config = "",
}: NatsPlace = {}): Promise<Broker> {
  const command = requireProgram("nats-server", "Debian package nats-server");
  const file = join(directory, "server.conf");
  writeFileSync(file, config);
  const server = await startOnPort(port, async (at) => {
    const place = ["--addr", "127.0.0.1", "--port", String(at)];
    const args = [...place, "--jetstream", "--store_dir", directory, "--config", file];
    const program = start(command, args);
    return servingProgram(
      "nats-server",
      program,
      until(() => greets(at), { what: "the greeting of nats-server" }),
    );
  });
  return {
    address: `nats://127.0.0.1:${server.port}`,
    stop: async () => {
      await server.program.stop();
    },
  };
}

/** Waits for the INFO line with which a NATS server greets: the server then accepts clients. */
async function greets(port: number): Promise<boolean> {
  const connection = connect(port, "127.0.0.1");
  try {
    const [greeting] = await once(connection, "data");
    return String(greeting).startsWith("INFO ");
  } finally {
    connection.destroy();
  }
}
