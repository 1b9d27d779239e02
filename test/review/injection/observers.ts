// Clients of the brokers that observe everything that arrives.

import { once } from "node:events";
import { jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { Objm } from "@nats-io/obj";
import { connect as connectNats } from "@nats-io/transport-node";
import { Kafka, logLevel } from "kafkajs";
import { connectAsync } from "mqtt";
import rhea, { type EventContext } from "rhea";
import { createTopic } from "../../crash/kafka-admin.ts";
import { connectRabbitmq } from "../../harness/rabbitmq-client.ts";
import { namedHeader, type Seen } from "./places.ts";

/** The addresses of the brokers. */
export interface Addresses {
  readonly nats: string;
  readonly mqtt: string;
  readonly rabbitmq: string;
  readonly kafka: string;
}

/** Everything that has arrived anywhere since the start. */
export interface Observers {
  readonly seen: readonly Seen[];
  /** Records what another observer has seen, if it belongs to the campaign. */
  readonly note: Note;
  /** Returns the number of records of each topic whose name contains the mark. */
  records(): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

/** Watches every subject, topic and key; keeps those that contain `mark` or are below it. */
export async function observe(addresses: Addresses, mark: string): Promise<Observers> {
  const seen: Seen[] = [];
  const note = (connector: string, place: string, content: string, texts: Seen["texts"]) => {
    if (place.includes(mark) || content.includes(mark)) {
      seen.push({ connector, place, id: idOf(content), texts });
    }
  };
  const closing = [
    await observeNats(addresses.nats, mark, note),
    await observeMqtt(addresses.mqtt, note),
    await observeRabbitmq(addresses.rabbitmq, note),
    await observeAmqp1(addresses.rabbitmq, mark, note),
    await observeKafka(addresses.kafka, mark, note),
  ];
  const admin = new Kafka({ brokers: addresses.kafka.split(","), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  return {
    seen,
    note,
    async records() {
      const topics = (await admin.listTopics()).filter((topic) => topic.includes(mark));
      const counted = topics.map(async (topic) => {
        const ends = await admin.fetchTopicOffsets(topic);
        return [topic, ends.reduce((sum, { high }) => sum + Number(high), 0)] as const;
      });
      return Object.fromEntries(await Promise.all(counted));
    },
    close: async () => {
      await admin.disconnect();
      await Promise.all(closing.map((close) => close()));
    },
  };
}

type Note = (connector: string, place: string, content: string, texts: Seen["texts"]) => void;

/** Returns the id of a message: every message of the campaign is an object with an id. */
function idOf(content: string): string {
  try {
    return String(JSON.parse(content).id);
  } catch {
    return `not of the campaign: ${content.slice(0, 80)}`;
  }
}

async function observeNats(address: string, mark: string, note: Note): Promise<() => Promise<void>> {
  const connection = await connectNats({ servers: address });
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: `${mark}_jets`, subjects: [`${mark}.jets.>`] });
  await new Kvm(connection).create(mark);
  await new Objm(connection).create(`${mark}objects`);
  connection.subscribe(">", {
    callback: (error, message) => {
      if (error !== null || /^(?:_INBOX|\$JS|\$O)\./.test(message.subject)) return;
      const connector = message.subject.startsWith(`$KV.${mark}.`)
        ? "nats_kv"
        : message.subject.startsWith(`${mark}.jets.`)
          ? "nats_jetstream"
          : message.subject.startsWith(`${mark}.asked.`)
            ? "nats_request_reply"
            : "nats";
      if (connector === "nats_request_reply") message.respond();
      const headers = message.headers;
      // Seen here even if the bucket has another revision of the key.
      if (Number(headers?.get("Nats-Expected-Last-Subject-Sequence")) > 0) return;
      const all = (headers?.keys() ?? []).map((name) => [name, headers?.get(name) ?? ""] as const);
      const named = connector.startsWith("nats_") && connector !== "nats_jetstream";
      const texts = {
        ...(!named && { header_name: namedHeader(all) }),
        ...(/^nats(?:_request_reply)?$/.test(connector) && { header: headers?.get("X-Value") ?? "" }),
      };
      note(connector, message.subject, message.string(), texts);
    },
  });
  await connection.flush();
  return () => connection.close();
}

async function observeMqtt(address: string, note: Note): Promise<() => Promise<void>> {
  const client = await connectAsync(address, { protocolVersion: 5 });
  client.on("message", (topic, payload, { properties = {} }) => {
    const { contentType = "", correlationData, userProperties = {} } = properties;
    note("mqtt", topic, payload.toString(), {
      content_type: contentType,
      correlation_data: correlationData?.toString() ?? "",
      user_property: String(userProperties.value ?? ""),
      header_name: namedHeader(Object.entries(userProperties)),
    });
  });
  await client.subscribeAsync("#", { qos: 1 });
  return () => client.endAsync();
}

async function observeRabbitmq(address: string, note: Note): Promise<() => Promise<void>> {
  const connection = await connectRabbitmq(address);
  const channel = await connection.createChannel();
  const { queue } = await channel.assertQueue("", { exclusive: true });
  for (const exchange of ["amq.topic", "amq.fanout"]) await channel.bindQueue(queue, exchange, "#");
  await channel.consume(
    queue,
    (message) => {
      if (message === null) return;
      const { type = "", correlationId = "", replyTo = "", messageId = "", appId = "" } = message.properties;
      const { routingKey } = message.fields;
      if (routingKey.endsWith(".one")) return; // a client of AMQP 1.0 sees these
      const headers = message.properties.headers ?? {};
      note("amqp_0_9", routingKey, message.content.toString(), {
        type,
        correlation_id: correlationId,
        reply_to: replyTo,
        message_id: messageId,
        app_id: appId,
        header: headers.value ?? "",
        header_name: namedHeader(Object.entries(headers)),
      });
    },
    { noAck: true },
  );
  return () => connection.close();
}

async function observeAmqp1(address: string, mark: string, note: Note): Promise<() => Promise<void>> {
  const { hostname: host, port } = new URL(address);
  const connection = rhea.create_container().connect({ host, port: Number(port), reconnect: false });
  const source = `/exchange/amq.topic/${mark}.one`;
  const receiver = connection.open_receiver({ source: { address: source } });
  receiver.on("message", ({ message }: EventContext) => {
    const { application_properties: properties = {}, message_annotations: annotations = {} } = message ?? {};
    note("amqp_1", `${mark}.one`, String(message?.body.content ?? message?.body), {
      property: String(properties.property ?? ""),
      header: String(properties.value ?? ""),
      annotation: String(annotations["x-value"] ?? ""),
      header_name: namedHeader([...Object.entries(properties), ...Object.entries(annotations)]),
    });
  });
  await once(receiver, "receiver_open");
  return async () => {
    connection.close();
    await once(connection, "connection_close");
  };
}

async function observeKafka(address: string, mark: string, note: Note): Promise<() => Promise<void>> {
  const client = new Kafka({ brokers: address.split(","), logLevel: logLevel.NOTHING });
  const names: Readonly<Record<string, string>> = { [mark]: "kafka", [`${mark}franz`]: "kafka_franz" };
  const admin = client.admin();
  await admin.connect();
  await Promise.all(Object.keys(names).map((topic) => createTopic(admin, topic, 1)));
  await admin.disconnect();
  const consumer = client.consumer({ groupId: mark, maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topics: Object.keys(names), fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ topic, message: { value, headers = {} } }) =>
      note(names[topic] ?? "", topic, String(value), {
        header: String(headers.value ?? ""),
        header_name: namedHeader(Object.entries(headers)),
      }),
  });
  return () => consumer.disconnect();
}
