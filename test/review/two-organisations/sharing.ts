// Components with a name that clients of a broker share, such as a consumer group.

/** Documents by kind; each function receives the name. */
export const sharing: Readonly<Record<string, (name: string) => object>> = {
  kafka: (name) => ({ input: { kafka: { addresses: ["b:9092"], topics: ["t"], consumer_group: name } } }),
  nats: (name) => ({ input: { nats: { urls: ["nats://b"], subject: "s", queue: name } } }),
  jetstream: (name) => ({ input: { nats_jetstream: { urls: ["nats://b"], subject: "s", durable: name } } }),
  bucket: (name) => ({ input: { nats_kv: { urls: ["nats://b"], bucket: name } } }),
  amqp: (name) => ({ input: { amqp_0_9: { urls: ["amqp://b"], queue: name } } }),
  amqp_1: (name) => ({ input: { amqp_1: { urls: ["amqp://b"], source_address: `/queues/${name}` } } }),
  mqtt: (name) => ({ input: { mqtt: { urls: ["tcp://b:1883"], topics: ["t"], client_id: name } } }),
  mqtt_group: (name) => ({ input: { mqtt: { urls: ["tcp://b:1883"], topics: [`$share/${name}/t`] } } }),
  redis: (prefix) => ({
    input: { http_server: { path: "/shared" } },
    cache_resources: [{ label: "kept", redis: { url: "redis://b", prefix } }],
    pipeline: { processors: [{ cache: { resource: "kept", operator: "get", key: "k" } }] },
  }),
};
