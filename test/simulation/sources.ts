import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { Redis } from "ioredis";
import { Kafka, logLevel } from "kafkajs";
import { connectAsync, connect as connectMqtt } from "mqtt";
import { committedOf, createTopic, endsOf } from "../crash/kafka-admin.ts";
import { startProxiedKafka } from "../harness/brokers/proxied-kafka.ts";
import { mosquitto, nats, rabbitmq, redis } from "../harness/brokers.ts";
import { connectRabbitmq } from "../harness/rabbitmq-client.ts";
import { until } from "../harness/wait.ts";
import { type Network, networkTo, replicaNames } from "./network.ts";

/** A source that a broker divides among the replicas, filled by clients that faults do not affect. */
export interface SharedSource {
  /**
   * The stream's input; `${NAME_OF_THE_SOURCE}` is the broker's address, `${NAME}` the name that this run uses there.
   */
  readonly input: object;
  /** Returns a connection to the broker for one more replica. */
  network(replica: number): Promise<Network>;
  give(messages: readonly string[]): Promise<void>;
  /** Returns the number of messages that the source would deliver to a new replica now. */
  remaining(): Promise<number>;
  close(): Promise<void>;
}

/** Opens each source under a name of this run. */
export const sourceOpeners = {
  /** A durable consumer. */
  async jetstream(name) {
    const { address } = await nats();
    const client = await connect({ servers: address });
    const manager = await jetstreamManager(client);
    await manager.streams.add({ name, subjects: [name] });
    return {
      input: {
        nats_jetstream: {
          urls: ["${JETSTREAM}"],
          stream: "${NAME}",
          subject: "${NAME}",
          durable: "replicas",
          deliver: "all",
          ack_wait: "2s",
          max_ack_pending: 64,
        },
      },
      network: () => networkTo(address),
      async give(messages) {
        const publisher = jetstream(client);
        await Promise.all(messages.map((message) => publisher.publish(name, message)));
      },
      async remaining() {
        const { num_pending, num_ack_pending } = await manager.consumers.info(name, "replicas");
        return num_pending + num_ack_pending;
      },
      close: () => client.close(),
    };
  },

  /** A consumer group of a Redis stream. */
  async streams(name) {
    const { address } = await redis();
    const client = new Redis(address);
    return {
      input: {
        redis_streams: {
          url: "${STREAMS}",
          streams: ["${NAME}"],
          consumer_group: "replicas",
          client_id: "${LIFE}",
          commit_period: "100ms",
          claim_idle: "2s",
        },
      },
      network: () => networkTo(address),
      async give(messages) {
        await Promise.all(messages.map((message) => client.xadd(name, "*", "body", message)));
      },
      async remaining() {
        const [count] = (await client.xpending(name, "replicas")) as [number];
        return count;
      },
      close: async () => client.disconnect(),
    };
  },

  /** A consumer group, which removes a member after three seconds of silence. */
  async kafka(topic) {
    const broker = await startProxiedKafka(replicaNames.length);
    const client = new Kafka({ brokers: [broker.direct], logLevel: logLevel.NOTHING });
    const [admin, producer] = [client.admin(), client.producer()];
    await Promise.all([admin.connect(), producer.connect()]);
    await createTopic(admin, topic, 4);
    return {
      input: {
        kafka: {
          addresses: ["${KAFKA}"],
          topics: ["${NAME}"],
          consumer_group: "replicas",
          commit_period: "100ms",
          group: { session_timeout: "3s", heartbeat_interval: "300ms", rebalance_timeout: "5s" },
        },
      },
      async network(replica) {
        const way = broker.ways[replica];
        if (way === undefined) throw new Error(`Kafka has no way for replica ${replica}`);
        return way;
      },
      async give(messages) {
        await producer.send({
          topic,
          messages: messages.map((value, index) => ({ value, partition: index % 4 })),
        });
      },
      async remaining() {
        const ends = await endsOf(admin, topic);
        return (
          [...ends.values()].reduce((sum, end) => sum + end, 0) -
          (await committedOf(admin, "replicas", topic))
        );
      },
      async close() {
        await Promise.all([admin.disconnect(), producer.disconnect()]);
        await broker.stop();
      },
    };
  },

  /** Competing consumers of a durable queue. */
  async amqp(queue) {
    const { address } = await rabbitmq();
    const connection = await connectRabbitmq(address);
    const channel = await connection.createConfirmChannel();
    await channel.assertQueue(queue, { durable: true });
    return {
      input: { amqp_0_9: { urls: ["${AMQP}"], queue: "${NAME}", prefetch_count: 16 } },
      network: () => networkTo(address),
      async give(messages) {
        for (const message of messages)
          channel.sendToQueue(queue, Buffer.from(message), { persistent: true });
        await channel.waitForConfirms();
      },
      remaining: async () => (await channel.checkQueue(queue)).messageCount,
      async close() {
        await channel.deleteQueue(queue);
        await connection.close();
      },
    };
  },

  /** A shared subscription, whose sessions the broker keeps while a replica is disconnected. */
  async mqtt(topic) {
    const { address } = await mosquitto();
    const publisher = await connectAsync(address);
    return {
      input: {
        mqtt: {
          urls: ["${MQTT}"],
          topics: ["$share/replicas/${NAME}"],
          client_id: "${NAME}-${REPLICA}",
          clean_session: false,
          qos: 1,
          keepalive: 2,
        },
      },
      network: () => networkTo(address),
      async give(messages) {
        await Promise.all(messages.map((message) => publisher.publishAsync(topic, message, { qos: 1 })));
      },
      async remaining() {
        const counts = await Promise.all(replicaNames.map((replica) => keptFor(`${topic}-${replica}`)));
        return counts.reduce((sum, count) => sum + count, 0);
      },
      close: () => publisher.endAsync(),
    };

    /** Returns how many messages a client's session holds, up to a marker message that only this client receives. */
    async function keptFor(clientId: string): Promise<number> {
      let [before, isEnd] = [0, false];
      const reader = connectMqtt(address, { clientId, clean: false });
      const last = `${clientId}/last`;
      reader.on("message", (from) => {
        if (from === last) isEnd = true;
        else if (!isEnd) before += 1;
      });
      await reader.subscribeAsync(last, { qos: 1 });
      await publisher.publishAsync(last, "", { qos: 1 });
      await until(() => isEnd, { what: `the end of the session ${clientId}` });
      await reader.endAsync();
      return before;
    }
  },
} satisfies Readonly<Record<string, (name: string) => Promise<SharedSource>>>;

/** The name of a source that brokers divide. */
export type SourceName = keyof typeof sourceOpeners;
