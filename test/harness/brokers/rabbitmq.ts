import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { basename, join } from "node:path";
import { temporaryDirectory } from "../directories.ts";
import { freePort } from "../ports.ts";
import { type Program, run, start } from "../processes.ts";
import { until, within } from "../wait.ts";
import { type Broker, type BrokerPlace, requireProgram, servingProgram, startOnPort } from "./broker.ts";

/** Options of a RabbitMQ that a test starts for itself. */
export interface RabbitmqOptions extends BrokerPlace {
  /** Further lines of its configuration file. */
  readonly configuration?: readonly string[];
  /** Plugins in addition to the one for AMQP 1.0. */
  readonly plugins?: readonly string[];
}

/** A RabbitMQ that can also be administered, and killed to simulate a crash. */
export interface Rabbitmq extends Broker {
  /** Runs `rabbitmqctl` with these arguments and returns its output; rejects if it fails. */
  control(...parameters: readonly string[]): Promise<string>;
  /** Kills it with SIGKILL. */
  kill(): Promise<void>;
}

/** Debian's wrapper on the PATH switches to another user with another home directory; this is the program behind it. */
const serverOfDebian = "/usr/lib/rabbitmq/bin/rabbitmq-server";
const controlOfDebian = "/usr/lib/rabbitmq/bin/rabbitmqctl";

/** Starts RabbitMQ for AMQP 0.9.1 and 1.0 on one port; `address` is `amqp://127.0.0.1:PORT`, its user guest. */
export async function startRabbitmq(options: RabbitmqOptions = {}): Promise<Rabbitmq> {
  const { port, directory = temporaryDirectory("rabbitmq") } = options;
  const source = "Debian package rabbitmq-server";
  const command = existsSync(serverOfDebian) ? serverOfDebian : requireProgram("rabbitmq-server", source);
  const names = await startNameServer();
  const atNames = { ERL_EPMD_PORT: String(names.port) };
  const server = await startOnPort(port, async (at) => {
    const env = { ...environment(directory, await freePort()), ...atNames };
    writeFiles(directory, at, options);
    const program = start(command, [], { env });
    const greeting = until(() => greets(at), { timeout: 240_000, what: "the greeting of RabbitMQ" });
    return servingProgram("RabbitMQ", program, greeting);
  });
  const end = async (signal: NodeJS.Signals) => {
    await server.program.stop(signal);
    await names.program.stop();
  };
  return {
    address: `amqp://127.0.0.1:${server.port}`,
    control: (...parameters) => runControl(parameters, { ...environment(directory, 0), ...atNames }),
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
}

async function runControl(parameters: readonly string[], env: Record<string, string>): Promise<string> {
  const source = "Debian package rabbitmq-server";
  const command = existsSync(controlOfDebian) ? controlOfDebian : requireProgram("rabbitmqctl", source);
  const { status, stdout, stderr } = await run(command, parameters, { env, timeout: 120_000 });
  if (status !== 0) throw new Error(`rabbitmqctl ${parameters.join(" ")}: ${status}\n${stdout}${stderr}`);
  return stdout;
}

/** Erlang's nodes find each other through a name server; RabbitMQ would start one that outlives it. */
async function startNameServer(): Promise<{ port: number; program: Program }> {
  const command = requireProgram("epmd", "Debian package erlang-base, which rabbitmq-server needs");
  return startOnPort(undefined, async (port) => {
    const program = start(command, ["-port", String(port), "-address", "127.0.0.1", "-debug"]);
    await program.matching(/epmd running/);
    return program;
  });
}

function environment(directory: string, ownPort: number): Record<string, string> {
  return {
    HOME: directory,
    RABBITMQ_NODENAME: `${basename(directory).replace(/\W/g, "_")}@localhost`,
    RABBITMQ_CONF_ENV_FILE: join(directory, "none"),
    RABBITMQ_CONFIG_FILE: join(directory, "rabbitmq.conf"),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(directory, "plugins"),
    RABBITMQ_GENERATED_CONFIG_DIR: directory,
    RABBITMQ_MNESIA_BASE: directory,
    RABBITMQ_MNESIA_DIR: join(directory, "mnesia"),
    RABBITMQ_LOG_BASE: directory,
    RABBITMQ_LOGS: "-",
    RABBITMQ_PID_FILE: join(directory, "pid"),
    RABBITMQ_DIST_PORT: String(ownPort),
    RABBITMQ_SERVER_START_ARGS: "-kernel inet_dist_use_interface {127,0,0,1}",
    ERL_EPMD_ADDRESS: "127.0.0.1",
    // Makes the start script replace itself with the server, so that signals reach the server.
    RUNNING_UNDER_SYSTEMD: "true",
  };
}

function writeFiles(directory: string, port: number, options: RabbitmqOptions): void {
  const { configuration = [], plugins = [] } = options;
  const lines = [`listeners.tcp.1 = 127.0.0.1:${port}`, ...configuration];
  writeFileSync(join(directory, "rabbitmq.conf"), `${lines.join("\n")}\n`);
  writeFileSync(join(directory, "plugins"), `[${["rabbitmq_amqp1_0", ...plugins].join(",")}].\n`);
}

/** Requests an unsupported protocol version: a ready broker answers with the version that it supports. */
async function greets(port: number): Promise<boolean> {
  const connection = connect(port, "127.0.0.1");
  try {
    connection.write("AMQP\0\0\0\0");
    const [answer] = await within(once(connection, "data"), { timeout: 20_000, what: "an answer" });
    return String(answer).startsWith("AMQP");
  } finally {
    connection.destroy();
  }
}
