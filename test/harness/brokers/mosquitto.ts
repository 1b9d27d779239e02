import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../directories.ts";
import { start } from "../processes.ts";
import { type Broker, type BrokerPlace, requireProgram, startOnPort } from "./broker.ts";

/** Options of a Mosquitto that a test starts for itself. */
export interface MosquittoOptions extends BrokerPlace {
  /** Whether sessions and retained messages are kept in the directory, so that they survive a restart. */
  readonly persistence?: boolean;
  /** Further lines of its configuration file. */
  readonly configuration?: readonly string[];
}

/** A Mosquitto that a test started for itself. */
export interface Mosquitto extends Broker {
  readonly port: number;
  /** Its log of its clients, including each of their packets. */
  log(): string;
}

/** Starts Mosquitto for anonymous clients of MQTT 3.1.1 and 5; `address` is `mqtt://127.0.0.1:PORT`. */
export async function startMosquitto(options: MosquittoOptions = {}): Promise<Mosquitto> {
  const {
    port,
    directory = temporaryDirectory("mosquitto"),
    persistence = false,
    configuration = [],
  } = options;
  const command = requireProgram("mosquitto", "Debian package mosquitto");
  const server = await startOnPort(port, async (at) => {
    const file = join(directory, "mosquitto.conf");
    const lines = [
      `listener ${at} 127.0.0.1`,
      "allow_anonymous true",
      `persistence ${persistence}`,
      `persistence_location ${directory}/`,
      "user root", // started by root, it would switch to a user who cannot write to the directory
      "set_tcp_nodelay true",
      ...configuration,
    ];
    writeFileSync(file, `${lines.join("\n")}\n`);
    const program = start(command, ["-v", "-c", file]);
    await program.matching(/mosquitto version \S+ running/);
    return program;
  });
  return {
    address: `mqtt://127.0.0.1:${server.port}`,
    port: server.port,
    log: () => server.program.output(),
    stop: async () => {
      await server.program.stop();
    },
  };
}
