// Metadata of requests that is sent on as headers of brokers.

import { once } from "node:events";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect as connectNats } from "@nats-io/transport-node";
import { connectAsync } from "mqtt";
import rhea, { type EventContext } from "rhea";
import { kafka, mosquitto, nats, rabbitmq } from "../../harness/brokers.ts";
import { unique } from "../../harness/names.ts";
import { Queue } from "../../harness/queue.ts";
import { connectRabbitmq } from "../../harness/rabbitmq-client.ts";
import { connectKafka } from "../../runtime/connectors/kafka-client.ts";
import type { Campaign } from "../campaign.ts";
import { http2Caller, rawCaller } from "./callers.ts";
import { startHeadersGateway } from "./document.ts";
import { type MadeRequest, mistakesIn, requestsOf } from "./requests.ts";

/** Headers with which brokers transmit the type of a message. */
const ofMessages = new Set(["content-type", "content-encoding"]);

type Headers = readonly (readonly [name: string, value: string])[];

/** How a broker shows a message. */
interface Peer {
  readonly name: string;
  readonly messages: Queue<Headers>;
  close(): Promise<void>;
}

const requestsOfRound = 4;

/** The campaign that `test/review` calls `broker-headers`. */
export const brokerHeaders: Campaign = {
  claim: "only what came as a header reaches a broker as one, and what only a document may set never does",
  async prepare() {
    const brokers = await Promise.all([kafka(), nats(), rabbitmq(), mosquitto()]);
    const [kafkaAt = "", natsAt = "", rabbitAt = "", mqttAt = ""] = brokers.map(({ address }) => address);
    const [topic, franz] = [unique("headers"), unique("headers")];
    const peers = [
      await kafkaPeer(kafkaAt, topic),
      await kafkaPeer(kafkaAt, franz),
      await natsPeer(natsAt, topic),
      await natsPeer(natsAt, franz, true),
      await rabbitPeer(rabbitAt, topic),
      await amqp1Peer(rabbitAt, franz),
      await mqttPeer(mqttAt, topic),
    ];
    const everyName = "metadata: { include_patterns: ['.'] }";
    const started = await startHeadersGateway(
      {},
      `
    publish:
      input: { http_server: { path: "/publish/{x-path}", timeout: 30s } }
      output:
        broker:
          pattern: fan_out
          outputs:
            - kafka: { addresses: ["${kafkaAt}"], topic: "${topic}" }
            - kafka_franz: { seed_brokers: ["${kafkaAt}"], topic: "${franz}", ${everyName} }
            - nats: { urls: ["${natsAt}"], subject: "${topic}", ${everyName} }
            - nats_jetstream: { urls: ["${natsAt}"], subject: "${franz}", ${everyName} }
            - amqp_0_9: { urls: ["${rabbitAt}"], exchange: "", key: "${topic}" }
            - amqp_1: { urls: ["${rabbitAt}"], target_address: "/amq/queue/${franz}" }
            - mqtt: { urls: ["${mqttAt}"], topic: "${topic}", protocol_version: 5, ${everyName} }
`,
    );
    const callers = [rawCaller(started), await http2Caller(started)] as const;

    async function mistakesOf(request: MadeRequest, isHttp2: boolean): Promise<readonly string[]> {
      const answer = await callers[isHttp2 ? 1 : 0].ask("publish", request);
      if (answer.status !== 200) return [`answered with ${answer.status}`];
      const mistakes: string[] = [];
      for (const { name, messages } of peers) {
        const own = mistakesIn(await messages.next(), request, ofMessages);
        mistakes.push(...own.map((mistake) => `${name}: ${mistake}`));
      }
      return mistakes;
    }

    return {
      async round(seed) {
        const findings: string[] = [];
        let attempts = 0;
        for (const isHttp2 of [false, true]) {
          for (const request of requestsOf(seed, requestsOfRound, isHttp2)) {
            attempts += peers.length;
            const mistakes = await mistakesOf(request, isHttp2);
            findings.push(...mistakes.map((mistake) => `${mistake} of ${JSON.stringify(request)}`));
          }
        }
        return { attempts, findings };
      },
      async close() {
        for (const caller of callers) caller.close();
        await started.gateway.program.stop();
        for (const { close } of peers) await close();
        for (const broker of brokers) await broker.stop();
      },
    };
  },
};

function textsOf(values: object): Headers {
  return Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map((each) => [name, String(each)] as const),
  );
}

async function kafkaPeer(address: string, topic: string): Promise<Peer> {
  const client = await connectKafka(address);
  await client.createTopic(topic);
  const messages = new Queue<Headers>();
  const consumer = client.client.consumer({ groupId: unique("headers"), maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message }) => messages.push(textsOf(message.headers ?? {})),
  });
  return {
    name: "kafka",
    messages,
    async close() {
      await consumer.disconnect();
      await client.close();
    },
  };
}

async function natsPeer(address: string, subject: string, isStored = false): Promise<Peer> {
  const connection = await connectNats({ servers: address });
  const manager = await jetstreamManager(connection);
  if (isStored) await manager.streams.add({ name: subject, subjects: [subject] });
  const messages = new Queue<Headers>();
  connection.subscribe(subject, {
    callback: (_, { headers }) =>
      messages.push((headers?.keys() ?? []).map((name) => [name, headers?.get(name) ?? ""] as const)),
  });
  await connection.flush();
  return {
    name: isStored ? "nats_jetstream" : "nats",
    messages,
    async close() {
      if (isStored) await manager.streams.delete(subject);
      await connection.close();
    },
  };
}

async function rabbitPeer(address: string, queue: string): Promise<Peer> {
  const connection = await connectRabbitmq(address);
  const channel = await connection.createChannel();
  await channel.assertQueue(queue, { durable: true });
  const messages = new Queue<Headers>();
  await channel.consume(queue, (message) => messages.push(textsOf(message?.properties.headers ?? {})), {
    noAck: true,
  });
  return {
    name: "rabbitmq",
    messages,
    async close() {
      await channel.deleteQueue(queue);
      await connection.close();
    },
  };
}

async function amqp1Peer(address: string, queue: string): Promise<Peer> {
  const manager = await connectRabbitmq(address);
  const channel = await manager.createChannel();
  await channel.assertQueue(queue, { durable: true });
  const { hostname: host, port } = new URL(address);
  const connection = rhea.create_container().connect({ host, port: Number(port), reconnect: false });
  await once(connection, "connection_open");
  const messages = new Queue<Headers>();
  connection
    .open_receiver({ source: { address: `/amq/queue/${queue}` } })
    .on("message", ({ message }: EventContext) =>
      messages.push([
        ...textsOf(message?.application_properties ?? {}),
        ...textsOf(message?.message_annotations ?? {}),
      ]),
    );
  return {
    name: "amqp_1",
    messages,
    async close() {
      connection.close();
      await channel.deleteQueue(queue);
      await manager.close();
    },
  };
}

async function mqttPeer(address: string, topic: string): Promise<Peer> {
  const client = await connectAsync(address, { protocolVersion: 5 });
  const messages = new Queue<Headers>();
  client.on("message", (_topic, _payload, { properties }) =>
    messages.push(textsOf(properties?.userProperties ?? {})),
  );
  await client.subscribeAsync(topic, { qos: 1 });
  return {
    name: "mqtt",
    messages,
    async close() {
      await client.endAsync();
    },
  };
}
