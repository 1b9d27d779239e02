// Lists what the bundle of each connector contains in addition to its own folder, for `shaking.test.ts`.

/** The packages and connectors in a bundle. */
export interface Brought {
  readonly packages: readonly string[];
  readonly connectors?: readonly string[];
  /** The connector's folder, if several connectors share one. */
  readonly folder?: string;
}

/** The additions of each connector to its own folder. */
export const brings: Readonly<Record<string, Brought>> = {
  amqp_0_9: { packages: ["amqplib"] },
  amqp_1: { packages: ["rhea"] },
  batched: { packages: [], connectors: ["http-client"] },
  broker: { packages: [], connectors: ["http-client"] },
  buffered: { packages: [], connectors: ["http-client"] },
  cache: { packages: [], connectors: ["http-client"] },
  csv: { packages: [], connectors: ["http-client"] },
  drop: { packages: [], connectors: ["http-client"] },
  drop_on: { packages: [], connectors: ["http-client"] },
  fallback: { packages: [], connectors: ["http-client"] },
  file: { packages: [] },
  file_tail: { packages: [], connectors: ["http-client"] },
  fsevent: { packages: [], connectors: ["http-client"] },
  generate: { packages: [], connectors: ["http-client"] },
  http_client: { packages: [] },
  http_server: { packages: ["ws"] },
  inproc: { packages: [] },
  kafka: { packages: ["kafkajs"] },
  kafka_franz: { packages: ["kafkajs"], folder: "kafka" },
  mqtt: { packages: ["mqtt", "ws"] },
  nats: { packages: ["@nats-io/transport-node"] },
  nats_jetstream: { packages: ["@nats-io/jetstream", "@nats-io/transport-node"], folder: "nats" },
  nats_kv: { packages: ["@nats-io/jetstream", "@nats-io/transport-node"], folder: "nats" },
  nats_object_store: {
    packages: ["@nats-io/jetstream", "@nats-io/obj", "@nats-io/transport-node"],
    folder: "nats",
  },
  parquet: { packages: [], connectors: ["http-client"] },
  portal_webhook: { packages: [], connectors: ["http-client"] },
  read_until: { packages: [], connectors: ["http-client"] },
  redis_hash: { packages: ["ioredis"], connectors: ["http-client"], folder: "redis" },
  redis_list: { packages: ["ioredis"], folder: "redis" },
  redis_pubsub: { packages: ["ioredis"], folder: "redis" },
  redis_scan: { packages: ["ioredis"], connectors: ["http-client"], folder: "redis" },
  redis_streams: { packages: ["ioredis"], folder: "redis" },
  reject: { packages: [], connectors: ["http-client"] },
  reject_errored: { packages: [], connectors: ["http-client"] },
  retry: { packages: [], connectors: ["http-client"] },
  sequence: { packages: [], connectors: ["http-client"] },
  socket: { packages: [] },
  socket_server: { packages: [], connectors: ["http-client"], folder: "socket" },
  sql: { packages: ["pg"], connectors: ["http-client"], folder: "sql" },
  sql_insert: { packages: ["pg"], connectors: ["http-client"], folder: "sql" },
  sql_raw: { packages: ["pg"], folder: "sql" },
  sql_select: { packages: ["pg"], connectors: ["http-client"], folder: "sql" },
  stdin: { packages: [], connectors: ["http-client"] },
  stdout: { packages: [], connectors: ["http-client"] },
  subprocess: { packages: [], connectors: ["http-client"] },
  switch: { packages: [], connectors: ["http-client"] },
  sync_response: { packages: [], connectors: ["http-client"] },
  websocket: { packages: ["ws"] },
  websocket_server: { packages: ["ws"] },
};
