// The connectors that the campaign breaks, each with a breakable connection to its broker.

import { jetstreamManager } from "@nats-io/jetstream";
import { connect as connectToNats } from "@nats-io/transport-node";
import { Kafka, logLevel } from "kafkajs";
import type { Input, Output } from "../../../runtime/component/component.ts";
import { amqp09Input } from "../../../runtime/connectors/amqp-0-9/input.ts";
import { amqp09Output } from "../../../runtime/connectors/amqp-0-9/output.ts";
import { amqp1Input } from "../../../runtime/connectors/amqp-1/input.ts";
import { amqp1Output } from "../../../runtime/connectors/amqp-1/output.ts";
import { kafkaFranzInput } from "../../../runtime/connectors/kafka/franz/input.ts";
import { kafkaFranzOutput } from "../../../runtime/connectors/kafka/franz/output.ts";
import { kafkaInput } from "../../../runtime/connectors/kafka/input.ts";
import { kafkaOutput } from "../../../runtime/connectors/kafka/output.ts";
import { mqttInput } from "../../../runtime/connectors/mqtt/input.ts";
import { mqttOutput } from "../../../runtime/connectors/mqtt/output.ts";
import { natsInput } from "../../../runtime/connectors/nats/input.ts";
import { natsJetstreamInput } from "../../../runtime/connectors/nats/jetstream/input.ts";
import { natsJetstreamOutput } from "../../../runtime/connectors/nats/jetstream/output.ts";
import { natsOutput } from "../../../runtime/connectors/nats/output.ts";
import { redisListInput } from "../../../runtime/connectors/redis/list/input.ts";
import { redisListOutput } from "../../../runtime/connectors/redis/list/output.ts";
import { redisPubsubInput } from "../../../runtime/connectors/redis/pubsub/input.ts";
import { redisPubsubOutput } from "../../../runtime/connectors/redis/pubsub/output.ts";
import { redisStreamsInput } from "../../../runtime/connectors/redis/streams/input.ts";
import { redisStreamsOutput } from "../../../runtime/connectors/redis/streams/output.ts";
import { createTopic } from "../../crash/kafka-admin.ts";
import { startProxiedKafka } from "../../harness/brokers/proxied-kafka.ts";
import { mosquitto, nats, rabbitmq, redis } from "../../harness/brokers.ts";
import { connectRabbitmq } from "../../harness/rabbitmq-client.ts";
import { startTcpProxy, type TcpProxy } from "../../harness/tcp-proxy.ts";

/** A connection to a broker through a proxy. */
interface Way {
  readonly proxy: TcpProxy;
  readonly address: string;
  close(): Promise<void>;
}

/** The input and the output of a connector at one place of a broker. */
export interface Pair {
  readonly name: string;
  /** The address of the broker itself. */
  readonly direct: string;
  open(): Promise<Way>;
  declare?(place: string): Promise<void>;
  input(address: string, place: string): Input;
  output(address: string, place: string): Output;
}

/** Starts the brokers. */
export async function startPairs(): Promise<{
  readonly pairs: readonly Pair[];
  readonly close: () => Promise<void>;
}> {
  const [natsServer, mqttBroker, rabbit, redisServer, kafka] = await Promise.all([
    nats(),
    mosquitto(),
    rabbitmq(),
    redis(),
    startProxiedKafka(),
  ]);
  const servers = [natsServer, mqttBroker, rabbit, redisServer, kafka];
  const pairs = [
    ...natsPairs(natsServer.address),
    {
      name: "mqtt",
      ...through(mqttBroker.address),
      input: (url: string, topic: string) =>
        mqttInput({ urls: [url], topics: [topic], client_id: topic, clean_session: false }),
      output: (url: string, topic: string) => mqttOutput({ urls: [url], topic }),
    },
    ...amqpPairs(rabbit.address),
    ...redisPairs(redisServer.address),
    ...kafkaPairs(kafka.direct, { proxy: kafka.proxy, address: kafka.proxied, close: async () => undefined }),
  ];
  return {
    pairs,
    close: async () => {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

/** For clients that use the address that they are configured with: each connection gets its own proxy. */
function through(direct: string): Pick<Pair, "direct" | "open"> {
  const { port } = new URL(direct);
  return {
    direct,
    async open() {
      const proxy = await startTcpProxy(Number(port));
      const address = direct.replace(`:${port}`, `:${proxy.port}`);
      return { proxy, address, close: () => proxy.close() };
    },
  };
}

function natsPairs(address: string): readonly Pair[] {
  return [
    {
      name: "nats",
      ...through(address),
      input: (url, subject) => natsInput({ urls: [url], subject }),
      output: (url, subject) => natsOutput({ urls: [url], subject }),
    },
    {
      name: "nats_jetstream",
      ...through(address),
      async declare(place) {
        const connection = await connectToNats({ servers: address });
        const manager = await jetstreamManager(connection);
        await manager.streams.add({ name: place, subjects: [place] });
        await connection.close();
      },
      input: (url, subject) => natsJetstreamInput({ urls: [url], subject, durable: "review" }),
      output: (url, subject) => natsJetstreamOutput({ urls: [url], subject }),
    },
  ];
}

function amqpPairs(address: string): readonly Pair[] {
  const declare = async (queue: string) => {
    const connection = await connectRabbitmq(address);
    await (await connection.createChannel()).assertQueue(queue);
    await connection.close();
  };
  return [
    {
      name: "amqp_0_9",
      ...through(address),
      declare,
      input: (url, queue) => amqp09Input({ urls: [url], queue }),
      output: (url, key) => amqp09Output({ urls: [url], exchange: "", key }),
    },
    {
      name: "amqp_1",
      ...through(address),
      declare,
      input: (url, queue) => amqp1Input({ urls: [url], source_address: `/amq/queue/${queue}` }),
      output: (url, queue) => amqp1Output({ urls: [url], target_address: `/amq/queue/${queue}` }),
    },
  ];
}

function redisPairs(address: string): readonly Pair[] {
  return [
    {
      name: "redis_list",
      ...through(address),
      input: (url, key) => redisListInput({ url, key }),
      output: (url, key) => redisListOutput({ url, key }),
    },
    {
      name: "redis_pubsub",
      ...through(address),
      input: (url, channel) => redisPubsubInput({ url, channels: [channel] }),
      output: (url, channel) => redisPubsubOutput({ url, channel }),
    },
    {
      name: "redis_streams",
      ...through(address),
      input: (url, stream) => redisStreamsInput({ url, streams: [stream], consumer_group: "review" }),
      output: (url, stream) => redisStreamsOutput({ url, stream }),
    },
  ];
}

/** Kafka brokers advertise their own address, so all clients use the same proxy. */
function kafkaPairs(direct: string, way: Way): readonly Pair[] {
  const both = {
    direct,
    open: async () => way,
    async declare(topic: string) {
      const admin = new Kafka({ brokers: [direct], logLevel: logLevel.NOTHING }).admin();
      await admin.connect();
      await createTopic(admin, topic, 1);
      await admin.disconnect();
    },
  };
  return [
    {
      name: "kafka",
      ...both,
      input: (broker, topic) => kafkaInput({ addresses: [broker], topics: [topic], consumer_group: topic }),
      output: (broker, topic) => kafkaOutput({ addresses: [broker], topic }),
    },
    {
      name: "kafka_franz",
      ...both,
      input: (broker, topic) =>
        kafkaFranzInput({ seed_brokers: [broker], topics: [topic], consumer_group: topic }),
      output: (broker, topic) => kafkaFranzOutput({ seed_brokers: [broker], topic }),
    },
  ];
}
