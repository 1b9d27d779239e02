import type { ConsumeMessage } from "amqplib";
import { Message } from "../../message/message.ts";
import type { Value } from "../../message/value.ts";

/** A message of a queue: its headers and properties become metadata, all of them text; the broker's own win. */
export function incomingMessage({ content, fields, properties }: ConsumeMessage): Message {
  const metadata = new Map<string, Value>();
  for (const [name, value] of Object.entries(properties.headers ?? {})) setHeader(metadata, name, value);
  for (const [name, key] of propertyNames) {
    const value = headerText(properties[key]);
    if (value !== undefined && value !== "") metadata.set(name, value);
  }
  metadata.set("amqp_priority", String(properties.priority ?? 0));
  metadata.set("amqp_consumer_tag", fields.consumerTag);
  metadata.set("amqp_delivery_tag", String(fields.deliveryTag));
  metadata.set("amqp_redelivered", String(fields.redelivered));
  metadata.set("amqp_exchange", fields.exchange);
  metadata.set("amqp_routing_key", fields.routingKey);
  return Message.fromBytes(content, metadata);
}

/** Metadata by the properties that it comes from, where a message has them. */
const propertyNames = [
  ["amqp_content_type", "contentType"],
  ["amqp_content_encoding", "contentEncoding"],
  ["amqp_delivery_mode", "deliveryMode"],
  ["amqp_correlation_id", "correlationId"],
  ["amqp_reply_to", "replyTo"],
  ["amqp_expiration", "expiration"],
  ["amqp_message_id", "messageId"],
  ["amqp_timestamp", "timestamp"],
  ["amqp_type", "type"],
  ["amqp_user_id", "userId"],
  ["amqp_app_id", "appId"],
] as const;

/** Headers within headers are named by all the names on the way to them: `x-death_0_reason`. */
function setHeader(metadata: Map<string, Value>, name: string, value: unknown): void {
  const text = headerText(value);
  if (text !== undefined) metadata.set(name, text);
  else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) setHeader(metadata, `${name}_${key}`, inner);
  }
}

/** The text of a single value; `undefined` for those that hold others, and for none at all. */
function headerText(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== "object") return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return taggedText(value);
}

/** Times and decimals, as the client marks them: `{ "!": "timestamp", value: 1700000000 }`. */
function taggedText(value: object): string | undefined {
  if (!("!" in value) || !("value" in value)) return undefined;
  const inner: unknown = value.value;
  if (value["!"] === "timestamp") return new Date(Number(inner) * 1000).toISOString().replace(".000Z", "Z");
  if (typeof inner === "object" && inner !== null && "digits" in inner && "places" in inner)
    return decimalText(Number(inner.digits), Number(inner.places));
  return String(inner);
}

function decimalText(digits: number, places: number): string {
  if (places === 0) return String(digits);
  const text = String(Math.abs(digits)).padStart(places + 1, "0");
  return `${digits < 0 ? "-" : ""}${text.slice(0, -places)}.${text.slice(-places)}`;
}
