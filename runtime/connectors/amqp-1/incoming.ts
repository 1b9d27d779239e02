import type { Message as AmqpMessage } from "rhea";
import { Message } from "../../message/message.ts";
import type { Value } from "../../message/value.ts";

/**
 * A message of an address: its annotations and application properties become metadata under their own names, all
 * of them text, and what is known of it as `amqp_*`; with `readHeader` its header too.
 */
export function incomingMessage(message: AmqpMessage, readHeader: boolean): Message {
  const metadata = new Map<string, Value>();
  setTexts(metadata, message.message_annotations);
  setTexts(metadata, message.application_properties);
  for (const [name, key] of propertyNames) setText(metadata, name, message[key]);
  if (readHeader)
    for (const [name, key] of headerNames) setText(metadata, name, message[key] ?? headerDefaults[key]);
  return Message.fromBytes(contentOf(message.body), metadata);
}

const propertyNames = [
  ["amqp_content_type", "content_type"],
  ["amqp_content_encoding", "content_encoding"],
  ["amqp_creation_time", "creation_time"],
  ["amqp_to", "to"],
] as const;

const headerNames = [
  ["amqp_durable", "durable"],
  ["amqp_priority", "priority"],
  ["amqp_ttl", "ttl"],
  ["amqp_first_acquirer", "first_acquirer"],
  ["amqp_delivery_count", "delivery_count"],
] as const;

/** What the protocol says of fields that are not there. */
const headerDefaults = {
  durable: false,
  priority: 4,
  ttl: undefined,
  first_acquirer: false,
  delivery_count: 0,
} as const;

function setTexts(metadata: Map<string, Value>, values: unknown): void {
  if (typeof values !== "object" || values === null) return;
  for (const [name, value] of Object.entries(values)) setText(metadata, name, value);
}

function setText(metadata: Map<string, Value>, name: string, value: unknown): void {
  const text = textOfValue(value);
  if (text !== undefined) metadata.set(name, text);
}

/** Single values as text; lists, maps and nothing at all have none. */
function textOfValue(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (value instanceof Date) return value.toISOString().replace(".000Z", "Z");
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return typeof value === "object" ? undefined : String(value);
}

/** Descriptor of a section of bytes. */
const dataCode = 0x75;

/** The bytes of a message; a value that is no bytes is its text, and one that holds others is JSON. */
function contentOf(body: unknown): Uint8Array {
  if (isData(body)) return Array.isArray(body.content) ? Buffer.concat(body.content) : asBytes(body.content);
  if (typeof body === "object" && body !== null && "content" in body) return asBytes(body.content);
  return asBytes(body);
}

function isData(body: unknown): body is { readonly content: unknown } {
  return typeof body === "object" && body !== null && "typecode" in body && body.typecode === dataCode;
}

function asBytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  return Buffer.from(
    textOfValue(value) ?? (value === null || value === undefined ? "" : JSON.stringify(value)),
  );
}
