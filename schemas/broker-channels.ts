// Describes the channels that components read and write at brokers, for descriptions of a gateway.

import type {
  BindingFields,
  BrokerAddress,
  BrokerChannels,
  KnownOptions,
  ListBrokerChannels,
} from "./component.ts";

/** Describes Kafka topics. `servers` and `topics` are the fields that name them. Partitions are not part of a topic. */
export function kafkaChannels(servers: string, topics: string): ListBrokerChannels {
  return (options) => ({
    protocol: "kafka",
    servers: serversOf(options, servers, "kafka", "kafka-secure"),
    addresses: options
      .texts(topics)
      .flatMap((topic) => topic?.split(",") ?? [undefined])
      .map((topic) => topic?.trim().replace(/:[\d\-:]+$/, "")),
    field: topics,
    beginnings: options.beginnings(topics),
    channelBinding: (topic) => ({ topic, bindingVersion: "0.5.0" }),
    operationBinding: {
      groupId: constant(options.literal("consumer_group")),
      clientId: constant(options.literal("client_id")),
      bindingVersion: "0.5.0",
    },
  });
}

/** Describes NATS subjects. */
export function natsChannels(options: KnownOptions): BrokerChannels {
  return {
    protocol: "nats",
    servers: serversOf(options, "urls", "nats"),
    addresses: options.texts("subject"),
    field: "subject",
    beginnings: options.beginnings("subject"),
    operationBinding: { queue: textOf(options.literal("queue")), bindingVersion: "0.1.0" },
  };
}

/** Describes MQTT topics. `topics` is the field that names them. A shared subscription is described by its topics. */
export function mqttChannels(topics: string): ListBrokerChannels {
  return (options) => ({
    protocol: "mqtt",
    servers: serversOf(options, "urls", "mqtt", "secure-mqtt"),
    addresses: options.texts(topics).map((topic) => topic?.replace(/^\$share\/[^/]+\//, "")),
    field: topics,
    beginnings: options.beginnings(topics),
    operationBinding: {
      qos: numberOf(options.literal("qos")),
      retain: options.literal("retained") === true ? true : undefined,
      bindingVersion: "0.2.0",
    },
  });
}

/** Describes queues that an AMQP 0.9.1 component reads. */
export function amqpQueues(options: KnownOptions): BrokerChannels {
  return {
    protocol: "amqp",
    servers: serversOf(options, "urls", "amqp", "amqps"),
    addresses: options.texts("queue"),
    field: "queue",
    channelBinding: (name) => ({ is: "queue", queue: { name }, bindingVersion: "0.3.0" }),
  };
}

/** Describes routing keys that an AMQP 0.9.1 component writes to an exchange; without a key, the exchange itself. */
export function amqpKeys(options: KnownOptions): BrokerChannels {
  const exchange = textOf(options.literal("exchange"));
  const type = textOf(options.literal("exchange_declare.type"));
  return {
    protocol: "amqp",
    servers: serversOf(options, "urls", "amqp", "amqps"),
    addresses: options.has("key") ? options.texts("key") : [exchange],
    field: options.has("key") ? "key" : "exchange",
    channelBinding: () => ({
      is: "routingKey",
      exchange: exchange === undefined ? undefined : { name: exchange, type },
      bindingVersion: "0.3.0",
    }),
  };
}

/** Describes channels of protocols for which AsyncAPI has no detailed bindings. */
export function plainChannels(protocol: string, servers: string, addresses: string): ListBrokerChannels {
  return (options) => ({
    protocol,
    servers: serversOf(options, servers, protocol),
    addresses: options.texts(addresses),
    field: addresses,
    beginnings: options.beginnings(addresses),
  });
}

function serversOf(
  options: KnownOptions,
  field: string,
  plain: string,
  encrypted = plain,
): readonly BrokerAddress[] {
  const addresses = options.texts(field).flatMap((text) => text?.split(",") ?? [undefined]);
  const hasTls = options.literal("tls.enabled") === true;
  return addresses.map((text) => {
    const isEncrypted = hasTls || /^\s*(?:mqtts|ssl|tls|wss|amqps):/i.test(text ?? "");
    return { protocol: isEncrypted ? encrypted : plain, address: text?.trim() };
  });
}

/** Returns a schema for a constant text. */
function constant(value: unknown): BindingFields | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : { type: "string", const: text };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : undefined;
}
