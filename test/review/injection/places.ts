import { decodeUtf8, encodeUtf8 } from "../../../runtime/text/utf8.ts";

/** The fields that a producer of `places.yaml` computes, with a valid text for each. */
export const places: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nats: { subject: "normal", header: "right", header_name: "X-Right" },
  nats_whole: { subject: "normal" },
  nats_jetstream: { subject: "normal", header: "right", header_name: "X-Right" },
  nats_kv: { key: "normal" },
  mqtt: {
    topic: "normal",
    content_type: "text/plain",
    response_topic: "answers",
    correlation_data: "one",
    user_property: "right",
    header_name: "X-Right",
    retained: "false",
  },
  mqtt_whole: { topic: "normal" },
  amqp_0_9: {
    exchange: "topic",
    key: "normal",
    type: "order",
    content_type: "text/plain",
    content_encoding: "",
    correlation_id: "one",
    reply_to: "answers",
    message_id: "two",
    app_id: "places",
    user_id: "guest",
    expiration: "60000",
    priority: "3",
    header: "right",
    header_name: "X-Right",
  },
  amqp_whole: { exchange: "" },
  amqp_1: { property: "right", header: "right", annotation: "right", header_name: "right" },
  kafka: { topic: "", key: "normal", partition: "0", header: "right", header_name: "X-Right" },
  kafka_franz: { topic: "", key: "normal", partition: "0", header: "right", header_name: "X-Right" },
  http_client: { header: "right", header_name: "x-right" },
  reply: { header: "right", header_name: "x-right" },
  redis: { key: "normal", ttl: "1h" },
  file: { path: "normal" },
  redis_list: { key: "normal" },
  redis_hash: { key: "normal", field: "right" },
  redis_streams: { stream: "normal" },
  redis_pubsub: { channel: "normal" },
  redis_commands: { key: "normal", value: "right" },
  redis_chosen: { command: "scard" },
  nats_object_store: { name: "normal" },
  http: { path: "normal", header: "right" },
  multipart: { type: "text/plain", name: "normal" },
  nats_request_reply: { subject: "normal", header: "right" },
  schema_registry_encode: { subject: "normal" },
  keys_of_caches: {
    dedupe: "normal",
    output: "normal",
    output_ttl: "1h",
  },
  results: { key: "normal", ttl: "1h" },
  metric: { label: "normal", value: "1" },
  http_client_path: { path: "normal" },
  nats_kv_update: { key: "normal", revision: "0" },
  waiting: { duration: "1ms" },
  logged: { message: "right", value: "right", group: "right" },
  archived: { path: "normal" },
  command: { argument: "right" },
  sql_insert: { value: "right" },
  sql_raw: { value: "right" },
  sql_select: { name: "guarded" },
  portal_webhook: { event: "normal", header: "right" },
};

/** Producers whose messages the observers cannot see directly; they only see side effects. */
export const unobserved: ReadonlySet<string> = new Set([
  ...["amqp_whole", "redis", "file", "nats_object_store", "http"],
  ...["redis_list", "redis_hash", "redis_streams", "redis_pubsub", "redis_commands", "redis_chosen"],
  ...[
    "keys_of_caches",
    "results",
    "metric",
    "http_client_path",
    "waiting",
    "logged",
    "archived",
    "sql_select",
  ],
]);

/** Names that the servers reserve, for producers whose messages choose a whole name. */
export const reserved: Readonly<Record<string, RegExp>> = {
  nats_whole: /^(?:\$|_INBOX\.)/,
  mqtt_whole: /^\$/,
  amqp_whole: /^amq\./,
};

/** A message as brokers see it: its place, and the computed texts with it. */
export interface Seen {
  readonly connector: string;
  readonly place: string;
  readonly id: string;
  readonly texts: Readonly<Record<string, string>>;
}

/** Returns what a broker must see of a message with these texts. */
export function expectedOf(mark: string, connector: string, fields: Readonly<Record<string, string>>): Seen {
  // A lone surrogate that stands for no byte is sent as U+FFFD.
  const { id = "", ...texts } = Object.fromEntries(
    Object.entries(fields).map(([name, text]) => [name, decodeUtf8(encodeUtf8(text))]),
  );
  const isHttp = connector === "http_client" || connector === "reply";
  // Header names in HTTP are case-insensitive, and a response omits invalid ones.
  if (isHttp)
    texts.header_name = /^[\w!#$%&'*+.^`|~-]+$/.test(texts.header_name ?? "")
      ? (texts.header_name ?? "").toLowerCase()
      : "";
  const place = placeOf(mark, connector, texts, id);
  const observed = connector.replace(/_(?:whole|update)$/, "");
  return {
    connector: observed,
    place,
    id,
    texts: Object.fromEntries(visible(observed).map((name) => [name, texts[name] ?? ""])),
  };
}

function placeOf(
  mark: string,
  connector: string,
  texts: Readonly<Record<string, string | undefined>>,
  id: string,
): string {
  switch (connector) {
    case "nats":
      return `${mark}.nats.${texts.subject}`;
    case "nats_whole":
      return texts.subject ?? "";
    case "mqtt_whole":
      return texts.topic ?? "";
    case "nats_jetstream":
      return `${mark}.jets.${texts.subject}`;
    case "nats_kv":
    case "nats_kv_update":
      return `$KV.${mark}.${texts.key}.${id}`;
    case "mqtt":
      return `${mark}/${texts.topic}`;
    case "amqp_0_9":
      return `${mark}.${texts.key}`;
    case "amqp_1":
      return `${mark}.one`;
    case "kafka":
      return mark;
    case "kafka_franz":
      return `${mark}franz`;
    case "nats_request_reply":
      return `${mark}.asked.${texts.subject}`;
    case "schema_registry_encode":
      return `${texts.subject}-${id}`;
    case "portal_webhook":
      return `${mark}.${texts.event}`;
    case "http_client":
      return `/${mark}`;
    default:
      return "";
  }
}

/** Returns the texts that observers compare in addition to the place. */
function visible(connector: string): readonly string[] {
  if (connector === "nats") return ["header", "header_name"];
  if (connector === "nats_request_reply" || connector === "portal_webhook") return ["header"];
  if (connector === "command") return ["argument"];
  if (connector === "sql_insert" || connector === "sql_raw") return ["value"];
  if (connector === "nats_jetstream") return ["header_name"];
  if (connector === "mqtt") return ["content_type", "correlation_data", "user_property", "header_name"];
  if (connector === "amqp_0_9")
    return ["type", "correlation_id", "reply_to", "message_id", "app_id", "header", "header_name"];
  if (connector === "amqp_1") return ["header", "annotation", "property", "header_name"];
  if (["kafka", "kafka_franz", "http_client", "reply"].includes(connector)) return ["header", "header_name"];
  return [];
}

/** Returns the name of the header whose name is computed and whose value is `by name`; empty if there is none. */
export function namedHeader(headers: Iterable<readonly [name: string, value: unknown]>): string {
  return [...headers].find(([, value]) => String(value) === "by name")?.[0] ?? "";
}
