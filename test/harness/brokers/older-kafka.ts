import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../directories.ts";
import { freePort } from "../ports.ts";
import { type Program, start } from "../processes.ts";
import { patience } from "../wait.ts";
import { type Broker, startOnPort } from "./broker.ts";
import { type KafkaOptions, kafkaCommand, propertiesText, servingKafka, startKafka } from "./kafka.ts";

/** Options of a broker of any release from 2.4 on. */
export interface KafkaReleaseOptions extends Omit<KafkaOptions, "users"> {
  readonly version: string;
}

/** Starts one broker of a release; `address` is `127.0.0.1:PORT`. */
export function startKafkaRelease(options: KafkaReleaseOptions): Promise<Broker> {
  return Number.parseInt(options.version, 10) < 3 ? startWithZooKeeper(options) : startKafka(options);
}

async function startWithZooKeeper(options: KafkaReleaseOptions): Promise<Broker> {
  const { port, directory = temporaryDirectory("kafka"), settings = {}, version } = options;
  const [java, ...command] = await kafkaCommand(version);
  const zookeeper = await startZooKeeper([java, ...command], directory);
  const server = await startOnPort(port, async (at) => {
    const file = join(directory, "server.properties");
    const properties = {
      "broker.id": 1,
      "zookeeper.connect": `127.0.0.1:${zookeeper.port}`,
      "zookeeper.connection.timeout.ms": patience, // it may not have started yet
      "zookeeper.session.timeout.ms": patience,
      listeners: `PLAINTEXT://127.0.0.1:${at}`,
      "advertised.listeners": `PLAINTEXT://127.0.0.1:${at}`,
      "log.dirs": join(directory, "log"),
      "offsets.topic.replication.factor": 1,
      "offsets.topic.num.partitions": 2,
      "transaction.state.log.replication.factor": 1,
      "transaction.state.log.min.isr": 1,
      "transaction.state.log.num.partitions": 2,
      "group.initial.rebalance.delay.ms": 0,
      "group.min.session.timeout.ms": 500,
      "controlled.shutdown.enable": false,
      ...settings,
    };
    writeFileSync(file, propertiesText(properties));
    return servingKafka(start(java, [...command, "kafka.Kafka", file]), at);
  });
  return {
    address: `127.0.0.1:${server.port}`,
    stop: async () => {
      await server.program.stop();
      await zookeeper.program.stop();
    },
  };
}

async function startZooKeeper(
  [java, ...command]: readonly [string, ...string[]],
  directory: string,
): Promise<{ readonly port: number; readonly program: Program }> {
  const port = await freePort();
  const data = join(directory, "zookeeper");
  mkdirSync(data, { recursive: true });
  const file = join(directory, "zookeeper.properties");
  const properties = {
    dataDir: data,
    clientPort: port,
    clientPortAddress: "127.0.0.1",
    maxSessionTimeout: patience,
  };
  writeFileSync(file, propertiesText({ ...properties, "admin.enableServer": false }));
  const server = "org.apache.zookeeper.server.ZooKeeperServerMain";
  return { port, program: start(java, [...command, server, file]) };
}
