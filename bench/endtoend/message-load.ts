// Publishes messages for a program to read, and counts the messages that it writes.

import { setTimeout as wait } from "node:timers/promises";
import { jetstream, jetstreamManager, StorageType, type StreamConfig } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { Kafka, logLevel } from "kafkajs";
import { connectAsync } from "mqtt";
import { until } from "../../test/harness/wait.ts";
import { countClients, feedRequests, feedSockets } from "./audience.ts";
import type { Count, Feed, Load } from "./load.ts";
import type { Row } from "./rows.ts";

/** Number of messages being published at the same time. */
const inFlight = 500;

/**
 * Maximum number of messages that a program may be behind before more are published. Mosquitto drops messages if a
 * client is more than a thousand behind, which includes messages that reached the sink but are not acknowledged yet.
 * Sockets send a few frames each, not all of a round at once.
 */
const mostBehind = {
  kafka: Number.POSITIVE_INFINITY,
  jetstream: Number.POSITIVE_INFINITY,
  mqtt: 250,
  requests: Number.POSITIVE_INFINITY,
  sockets: 1024,
};

/** Minimum number of messages of a round, where each arrives several times. */
const fewest = 8;

/** Maximum milliseconds for a program to handle its messages; not a measurement. */
const patience = 120_000;

/** Addresses of the brokers, and the names that a program reads from (`IN`) and writes to (`OUT`). */
export type Places = Readonly<Record<string, string>>;

/** Creates topics and streams before a program starts. */
export async function prepare({ between, stores }: Row, places: Places): Promise<void> {
  if (between?.source === "jetstream") {
    await addStream(places, { name: places.IN ?? "", subjects: [places.IN ?? ""] });
  }
  if (stores !== undefined) {
    const kept = { max_msgs: 10_000, storage: StorageType.Memory };
    await addStream(places, { name: stores, subjects: [`${stores}.>`], ...kept });
  }
  const topics = [
    ...(between?.source === "kafka" ? [places.IN ?? ""] : []),
    ...(between?.sink === "kafka" ? [places.OUT ?? ""] : []),
  ];
  if (topics.length === 0) return;
  const admin = kafkaOf(places).admin();
  await admin.connect();
  const wanted = topics.map((topic) => ({ topic, numPartitions: 4 }));
  await admin.createTopics({ topics: wanted, waitForLeaders: false });
  // kafkajs fails immediately if a broker does not know the topic yet.
  const areThere = () =>
    admin.fetchTopicMetadata({ topics }).then(
      (found) => found.topics.every(({ partitions }) => partitions.every(({ leader }) => leader >= 0)),
      () => false,
    );
  while (!(await areThere())) await wait(100);
  await admin.disconnect();
}

async function addStream(places: Places, config: Partial<StreamConfig> & { name: string }): Promise<void> {
  const connection = await connect({ servers: places.NATS_URL ?? "" });
  const manager = await jetstreamManager(connection);
  await manager.streams.add(config);
  await connection.close();
}

/** Opens the load of a row with a source and a sink. `address`: that of the program. */
export async function openMessageLoad(
  { source, sink }: NonNullable<Row["between"]>,
  places: Places,
  address: URL | undefined,
  messages: readonly Uint8Array[],
): Promise<Load> {
  const program = () => {
    if (address === undefined) throw new Error("the side did not report its address");
    return address;
  };
  const count = await (sink === "kafka"
    ? countKafka(places)
    : sink === "nats"
      ? countNats(places)
      : countClients(program(), sink));
  const feed = await {
    kafka: () => feedKafka(places),
    jetstream: () => feedJetStream(places),
    mqtt: () => feedMqtt(places),
    requests: () => feedRequests(program(), messages),
    sockets: () => feedSockets(program()),
  }[source]();
  const { copies = 1 } = count;
  // A program reports that it is ready before it has subscribed.
  const reads = async () => {
    await feed.publish(messages.slice(0, 1));
    return (await count.read()) > 0;
  };
  await until(reads, { what: `the first message that comes from ${source}`, timeout: 60_000 });
  await settled(count);
  const messagesFor = (arrivals: number) =>
    copies === 1 ? arrivals : Math.max(fewest, Math.ceil(arrivals / copies));
  return {
    actual: (arrivals) => messagesFor(arrivals) * copies,
    async send(arrivals) {
      const wanted = messagesFor(arrivals);
      const before = await count.read();
      const arrive = async (total: number) => {
        const end = performance.now() + patience;
        for (;;) {
          const missing = before + total * copies - (await count.read());
          if (missing <= 0) return;
          if (performance.now() > end)
            throw new Error(`of ${total * copies} messages ${missing} have not arrived`);
          await wait(count.pause);
        }
      };
      const most = Math.min(inFlight, mostBehind[source]);
      for (let sent = 0; sent < wanted; sent += most) {
        if (sent > mostBehind[source]) await arrive(sent - mostBehind[source]);
        const size = Math.min(most, wanted - sent);
        await feed.publish(
          Array.from({ length: size }, (_, index) => messages[index % messages.length] ?? Buffer.alloc(0)),
        );
      }
      await arrive(wanted);
      return new Float64Array();
    },
    async close() {
      await feed.close();
      await count.close();
    },
  };
}

/** Resolves when no more messages arrive. */
async function settled(count: Count): Promise<void> {
  for (let [before, now] = [-1, await count.read()]; now > before; ) {
    await wait(300);
    [before, now] = [now, await count.read()];
  }
}

function kafkaOf(places: Places): Kafka {
  return new Kafka({ brokers: (places.KAFKA_BROKERS ?? "").split(","), logLevel: logLevel.NOTHING });
}

async function feedKafka(places: Places): Promise<Feed> {
  const producer = kafkaOf(places).producer();
  await producer.connect();
  return {
    async publish(messages) {
      await producer.send({
        topic: places.IN ?? "",
        messages: messages.map((value) => ({ value: Buffer.from(value) })),
      });
    },
    close: () => producer.disconnect(),
  };
}

async function countKafka(places: Places): Promise<Count> {
  const admin = kafkaOf(places).admin();
  await admin.connect();
  return {
    pause: 20,
    async read() {
      const partitions = await admin.fetchTopicOffsets(places.OUT ?? "");
      return partitions.reduce((sum, { high }) => sum + Number(high), 0);
    },
    close: () => admin.disconnect(),
  };
}

async function feedJetStream(places: Places): Promise<Feed> {
  const connection = await connect({ servers: places.NATS_URL ?? "" });
  const client = jetstream(connection);
  return {
    async publish(messages) {
      await Promise.all(messages.map((message) => client.publish(places.IN ?? "", message)));
    },
    close: () => connection.close(),
  };
}

async function feedMqtt(places: Places): Promise<Feed> {
  const client = await connectAsync(places.MQTT_URL ?? "");
  return {
    async publish(messages) {
      await Promise.all(
        messages.map((message) => client.publishAsync(places.IN ?? "", Buffer.from(message), { qos: 1 })),
      );
    },
    close: () => client.endAsync(),
  };
}

async function countNats(places: Places): Promise<Count> {
  const connection = await connect({ servers: places.NATS_URL ?? "" });
  let seen = 0;
  connection.subscribe(places.OUT ?? "", {
    callback: () => {
      seen += 1;
    },
  });
  await connection.flush();
  return { pause: 1, read: async () => seen, close: () => connection.close() };
}
