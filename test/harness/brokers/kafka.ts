import { randomBytes } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Kafka, logLevel } from "kafkajs";
import { temporaryDirectory } from "../directories.ts";
import { freePort } from "../ports.ts";
import { type Program, run, start } from "../processes.ts";
import { until } from "../wait.ts";
import {
  type Broker,
  type BrokerPlace,
  BrokerUnavailable,
  requireProgram,
  servingProgram,
  startOnPort,
} from "./broker.ts";
import { kafkaJars } from "./kafka-jars.ts";

// A small heap, the fastest compiler, and no verification of classes at their loading: a test's broker lives for seconds.
const javaOptions = [
  ...["-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"],
  ...[
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-BytecodeVerificationRemote",
  ],
];
const logOptions = ["-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"];

/** Options of an Apache Kafka that a test starts for itself. */
export interface KafkaOptions extends BrokerPlace {
  /** Further broker settings, which override those of the harness. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
  /** Passwords of the SCRAM users, by user name. */
  readonly users?: Readonly<Record<string, string>>;
  /** The release, from 3.3 on; the one of the suites if absent. */
  readonly version?: string;
}

/** Starts one Apache Kafka broker (KRaft, no ZooKeeper); `address` is `127.0.0.1:PORT`. */
export async function startKafka(options: KafkaOptions = {}): Promise<Broker> {
  const { port, directory = temporaryDirectory("kafka"), settings = {}, users = {}, version } = options;
  const [java, ...command] = await kafkaCommand(version);
  const server = await startOnPort(port, async (at) => {
    const file = join(directory, "server.properties");
    writeFileSync(file, await brokerProperties(at, directory, settings, options.directory !== undefined));
    if (!existsSync(join(directory, "log"))) await format([java, ...command], file, users);
    const program = start(java, [...command, "kafka.Kafka", file]);
    return servingKafka(program, at);
  });
  return {
    address: `127.0.0.1:${server.port}`,
    stop: async () => {
      await server.program.stop();
    },
  };
}

/** Returns Java and its arguments before the name of a class of that release. */
export async function kafkaCommand(version?: string): Promise<readonly [string, ...string[]]> {
  const java = requireProgram("java", "a Java of version 17 or newer runs Apache Kafka");
  return [java, ...javaOptions, ...logOptions, "-cp", join(await kafkaJars(version), "*")];
}

/** Returns the program of a broker when it serves clients at that port. */
export function servingKafka(program: Program, port: number): Promise<Program> {
  const metadata = until(() => servesMetadata(port), { timeout: 300_000, what: "metadata from Kafka" });
  return servingProgram("Kafka", program, metadata);
}

async function format(
  [java = "", ...command]: readonly string[],
  file: string,
  users: Readonly<Record<string, string>>,
): Promise<void> {
  // An id that starts with a hyphen would be parsed as an option.
  const cluster = `k${randomBytes(16).toString("base64url").slice(1)}`;
  const scram = Object.entries(users).flatMap(([name, password]) =>
    ["SCRAM-SHA-256", "SCRAM-SHA-512"].flatMap((mechanism) => [
      "--add-scram",
      `${mechanism}=[name=${name},password=${password}]`,
    ]),
  );
  const outcome = await run(java, [
    ...command,
    "kafka.tools.StorageTool",
    "format",
    "-t",
    cluster,
    "-c",
    file,
    ...scram,
  ]);
  if (outcome.status === 0) return;
  if (outcome.stderr.includes("UnsupportedClassVersionError")) {
    throw new BrokerUnavailable("Apache Kafka needs Java 17 or newer");
  }
  throw new Error(`Kafka cannot format its storage: ${outcome.stdout}${outcome.stderr}`);
}

async function brokerProperties(
  port: number,
  directory: string,
  settings: Readonly<Record<string, string | number | boolean>>,
  isRestarted: boolean,
): Promise<string> {
  const controller = await freePort();
  const properties = {
    "process.roles": "broker,controller",
    "node.id": 1,
    "controller.quorum.voters": `1@127.0.0.1:${controller}`,
    "controller.listener.names": "CONTROLLER",
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}`,
    "advertised.listeners": `PLAINTEXT://127.0.0.1:${port}`,
    "log.dirs": join(directory, "log"),
    // One broker holds everything, in few partitions: each partition costs files and time at the first use.
    "offsets.topic.replication.factor": 1,
    "offsets.topic.num.partitions": 2,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "transaction.state.log.num.partitions": 2,
    "share.coordinator.state.topic.replication.factor": 1,
    "share.coordinator.state.topic.min.isr": 1,
    "auto.create.topics.enable": true,
    "num.partitions": 1,
    // Groups form without delay, and tests may use short session timeouts.
    "group.initial.rebalance.delay.ms": 0,
    "group.min.session.timeout.ms": 500,
    "controlled.shutdown.enable": false,
    // A broker that restarts in its directory is admitted when its previous session has expired. On a loaded machine
    // any other one might lose its session, and then leads no partition for a while.
    "broker.session.timeout.ms": isRestarted ? 3000 : 60_000,
    "broker.heartbeat.interval.ms": 500,
    ...settings,
  };
  return propertiesText(properties);
}

/** Returns the text of a file of properties. */
export function propertiesText(properties: Readonly<Record<string, string | number | boolean>>): string {
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}

/**
 * Requests metadata, like the first request of any client: an open port alone does not mean that the broker answers.
 */
async function servesMetadata(port: number): Promise<boolean> {
  const client = new Kafka({
    brokers: [`127.0.0.1:${port}`],
    logLevel: logLevel.NOTHING,
    connectionTimeout: 1000,
    retry: { retries: 0 },
  });
  const admin = client.admin();
  try {
    await admin.connect();
    const { brokers } = await admin.describeCluster();
    return brokers.length === 1;
  } finally {
    await admin.disconnect();
  }
}
