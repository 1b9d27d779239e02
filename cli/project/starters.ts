// The texts that `sluice new` writes: the minimum for each choice, with addresses from the environment. They pass a
// check.

/** Inputs by component name: a function that returns the options in YAML for a stream name. */
export const inputStarters: Readonly<Record<string, (stream: string) => string>> = {
  http_server: (stream) => `{ path: /${stream}, allowed_verbs: [POST] }`,
  kafka: (stream) =>
    `{ addresses: ["\${KAFKA_BROKERS:127.0.0.1:9092}"], topics: [${stream}], consumer_group: ${stream} }`,
  nats: (stream) => `{ urls: ["\${NATS_URL:nats://127.0.0.1:4222}"], subject: ${stream}, queue: ${stream} }`,
  nats_jetstream: (stream) =>
    `{ urls: ["\${NATS_URL:nats://127.0.0.1:4222}"], subject: ${stream}, durable: ${stream}, deliver: all }`,
  mqtt: (stream) =>
    `{ urls: ["\${MQTT_URL:tcp://127.0.0.1:1883}"], topics: [${stream}], client_id: ${stream} }`,
  amqp_0_9: (stream) => `{ urls: ["\${AMQP_URL:amqp://127.0.0.1:5672/}"], queue: ${stream} }`,
  amqp_1: (stream) => `{ urls: ["\${AMQP_URL:amqp://127.0.0.1:5672/}"], source_address: ${stream} }`,
  redis_streams: (stream) =>
    `{ url: "\${REDIS_URL:redis://127.0.0.1:6379}", streams: [${stream}], consumer_group: ${stream} }`,
  websocket: (stream) => `{ url: "\${SOURCE_URL:ws://127.0.0.1:4000/${stream}}" }`,
  generate: () => `{ interval: 1s, mapping: 'root.at = now()' }`,
};

/** Outputs, in the same form as inputs. They write to other channels than inputs read, since a stream may have both. */
export const outputStarters: Readonly<Record<string, (stream: string) => string>> = {
  http_server: (stream) => `{ path: /${stream}/events, allowed_verbs: [GET] }`,
  sync_response: () => "{}",
  kafka: (stream) => `{ addresses: ["\${KAFKA_BROKERS:127.0.0.1:9092}"], topic: ${stream}-out }`,
  nats: (stream) => `{ urls: ["\${NATS_URL:nats://127.0.0.1:4222}"], subject: ${stream}-out }`,
  nats_jetstream: (stream) => `{ urls: ["\${NATS_URL:nats://127.0.0.1:4222}"], subject: ${stream}-out }`,
  mqtt: (stream) =>
    `{ urls: ["\${MQTT_URL:tcp://127.0.0.1:1883}"], topic: ${stream}-out, client_id: ${stream}-out, dynamic_client_id_suffix: nanoid }`,
  amqp_0_9: (stream) => `{ urls: ["\${AMQP_URL:amqp://127.0.0.1:5672/}"], exchange: ${stream}-out }`,
  amqp_1: (stream) => `{ urls: ["\${AMQP_URL:amqp://127.0.0.1:5672/}"], target_address: ${stream}-out }`,
  redis_streams: (stream) => `{ url: "\${REDIS_URL:redis://127.0.0.1:6379}", stream: ${stream}-out }`,
  http_client: (stream) => `{ url: "\${TARGET_URL:http://127.0.0.1:4000/${stream}}", verb: POST }`,
  drop: () => "{}",
};

/** A mapping, for a stream or a file of its own. */
export const mappingStarter = "root = this\n";

/** Returns an API with one stream; `sluice new stream` adds others. */
export function apiStarter({
  name,
  listenPath,
}: {
  readonly name: string;
  readonly listenPath: string;
}): string {
  return `openapi: 3.1.0
info: { title: ${name}, version: 1.0.0 }
paths: {}
x-gw-api-gateway:
  info: { name: ${name}, id: ${name}, state: { active: true } }
  server: { listenPath: { value: ${listenPath} } }
x-gw-streaming:
  streams:
    ${name}:
      input:
        http_server: { path: /new, allowed_verbs: [POST] }
      pipeline:
        processors:
          - mapping: |
              root = this
      output:
        http_server: { path: /events, allowed_verbs: [GET] }
`;
}

/** Returns unit tests for a mapping file or for a document's processors, with one message. */
export function testStarter({
  mapping,
  processors,
}: {
  readonly mapping?: string;
  readonly processors?: string;
}): string {
  const target = mapping === undefined ? `target_processors: ${processors}` : `target_mapping: ./${mapping}`;
  return `# Run by \`sluice test\`
tests:
  - name: a message goes through
    ${target}
    input_batch:
      - json_content: { id: a1 }
    output_batches:
      - - bloblang: errored() == false
`;
}
