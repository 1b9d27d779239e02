// The topics, subjects and queues that the streams of a set read from and write to, at brokers and in channels. Two
// streams are connected if both use the same name at the same broker.

import { componentsOf } from "../../compiler/model/components.ts";
import { type Span, spanOf } from "../../compiler/source/source.ts";
import type { ComponentNode, FieldNode, StreamNode } from "../../compiler/trees/api.ts";
import { findNamedField } from "../../compiler/trees/fields.ts";
import type { Component } from "../../schemas/component.ts";
import type { Analysis } from "./analysis.ts";
import { bindingPattern, matchesPattern, type NamePattern } from "./name-patterns.ts";

/** A name that a component of a stream reads from or writes to. */
export interface Destination {
  readonly stream: StreamNode;
  readonly direction: "reads" | "writes";
  /** The kind of broker and its addresses, as far as the document contains them. */
  readonly broker: string;
  /** The name, such as `orders`, or the text in its place if the name is read from elsewhere, such as `${TOPIC}`. */
  readonly name: string;
  /** The source range of the name. */
  readonly span: Span;
  /** Whether the document contains the name literally. */
  readonly isWritten: boolean;
  /** How the name of a reader matches other names; absent if it is a single name. */
  readonly pattern?: NamePattern | undefined;
  /** The routing key of messages to an exchange, or the key pattern of a binding; absent if keys do not matter. */
  readonly key?: string | undefined;
}

/** The fields in which components name their destinations. */
interface Naming {
  readonly system: string;
  readonly reads?: string;
  readonly writes?: string;
  /** How names of readers match other names. */
  readonly pattern?: NamePattern;
  /** The field that must be true to enable the pattern. */
  readonly patternField?: string;
}

const nats: Naming = {
  system: "nats",
  reads: "subject",
  writes: "subject",
  pattern: { kind: "filter", separator: ".", one: "*", rest: ">", isRestEmpty: false },
};

const bucket = (system: string): Naming => ({ system, reads: "bucket", writes: "bucket" });

/** By component name; channels inside the process are recognised by their descriptors. */
const namings: Readonly<Record<string, Naming>> = {
  kafka: { system: "kafka", reads: "topics", writes: "topic" },
  kafka_franz: {
    system: "kafka",
    reads: "topics",
    writes: "topic",
    pattern: { kind: "regexp" },
    patternField: "regexp_topics",
  },
  mqtt: {
    system: "mqtt",
    reads: "topics",
    writes: "topic",
    pattern: { kind: "filter", separator: "/", one: "+", rest: "#", isRestEmpty: true },
  },
  nats,
  nats_jetstream: nats,
  nats_kv: bucket("nats_kv"),
  nats_object_store: bucket("nats_object_store"),
  amqp_0_9: { system: "amqp_0_9", reads: "queue" },
  amqp_1: { system: "amqp_1", reads: "source_address", writes: "target_address" },
  redis_pubsub: {
    system: "redis_pubsub",
    reads: "channels",
    writes: "channel",
    pattern: { kind: "glob" },
    patternField: "use_patterns",
  },
  redis_streams: { system: "redis_streams", reads: "streams", writes: "stream" },
  redis_list: { system: "redis_list", reads: "key", writes: "key" },
};

/** The fields that contain the addresses of the broker. */
const addressFields = ["addresses", "seed_brokers", "urls", "url", "address"];

const known = new WeakMap<Analysis, readonly Destination[]>();

/** Returns all destinations of the streams of a set, in the order of the documents. */
export function destinationsOf(analysis: Analysis): readonly Destination[] {
  const streams = analysis.set?.apis.flatMap((api) => api.streams) ?? [];
  const found =
    known.get(analysis) ??
    streams.flatMap((stream) => componentsOf(stream).flatMap((each) => destinationsIn(each, stream)));
  known.set(analysis, found);
  return found;
}

/** Whether messages that `writer` writes reach `reader`. */
export function meets(writer: Destination, reader: Destination): boolean {
  if (writer.direction !== "writes" || reader.direction !== "reads" || writer.broker !== reader.broker)
    return false;
  const isNamed =
    writer.name === reader.name ||
    (reader.pattern !== undefined && matchesPattern(reader.name, writer.name, reader.pattern));
  const { key } = writer;
  return (
    isNamed &&
    (key === undefined || reader.key === undefined || matchesPattern(reader.key, key, bindingPattern))
  );
}

/** Returns the kind of broker that a component connects to; the first word of `Destination.broker`. */
export function systemOf({ name, isChannel }: Pick<Component, "name" | "isChannel">): string | undefined {
  return isChannel === true ? name : namings[name]?.system;
}

/** Returns the field in which a component names its destination; `undefined` if it has none. */
export function destinationField({
  name,
  role,
  isChannel,
}: Pick<Component, "name" | "role" | "isChannel">): string | undefined {
  if (isChannel === true) return name;
  const naming = namings[name];
  return role === "input" ? naming?.reads : role === "output" ? naming?.writes : undefined;
}

function destinationsIn(component: ComponentNode, stream: StreamNode): readonly Destination[] {
  const { role, config, descriptor } = component;
  if (descriptor === undefined || (role !== "input" && role !== "output")) return [];
  if (descriptor.name === "amqp_0_9") return exchangesIn(component, stream);
  const field = destinationField(descriptor);
  if (field === undefined) return [];
  const isChannel = descriptor.isChannel === true;
  const value = isChannel ? config : findNamedField(config, field)?.value;
  if (value === undefined) return [];
  const broker = `${systemOf(descriptor)} ${isChannel ? "" : addressesOf(config)}`;
  const direction = role === "input" ? "reads" : "writes";
  const { pattern, patternField } = namings[descriptor.name] ?? {};
  const isPattern = patternField === undefined || isTrue(findNamedField(config, patternField)?.value);
  return placesOf(value, isPattern && pattern?.kind === "regexp").map((place) => ({
    ...{ stream, direction, broker, ...place },
    ...(direction === "reads" && isPattern && pattern !== undefined && { pattern }),
  }));
}

/**
 * Returns the destinations of AMQP 0-9-1: streams write to an exchange with a routing key, and read a queue with the
 * bindings that they declare. The empty exchange delivers messages to the queue that the key names.
 */
function exchangesIn({ role, config }: ComponentNode, stream: StreamNode): readonly Destination[] {
  const addresses = addressesOf(config);
  const queues = { stream, broker: `amqp_0_9 ${addresses}` };
  const exchanges = { stream, broker: `amqp_0_9_exchange ${addresses}` };
  const at = (name: string, within: FieldNode = config) => findNamedField(within, name)?.value;
  const placed = (value: FieldNode | undefined) => (value === undefined ? [] : placesOf(value, false));
  if (role === "input") {
    const bindings = at("bindings_declare");
    const bound = bindings?.kind === "List" ? bindings.items : [];
    return [
      ...placed(at("queue")).map((place) => ({ ...queues, direction: "reads" as const, ...place })),
      ...bound.flatMap((binding) =>
        placed(at("exchange", binding)).map((place) => ({
          ...{ ...exchanges, direction: "reads" as const, ...place },
          key: keyOf(at("key", binding)),
        })),
      ),
    ];
  }
  const [exchange, key] = [at("exchange"), at("key")];
  const direction = "writes" as const;
  if (exchange?.kind === "Literal" && exchange.value === "")
    return placed(key).map((place) => ({ ...queues, direction, ...place }));
  const declared = at("exchange_declare");
  const type = declared === undefined ? undefined : at("type", declared);
  const isToAll = type?.kind === "Literal" && type.value === "fanout";
  return placed(exchange).map((place) => ({
    ...{ ...exchanges, direction, ...place },
    key: isToAll ? undefined : keyOf(key),
  }));
}

/** Returns a literal routing key; `undefined` if it depends on the message. */
function keyOf(value: FieldNode | undefined): string | undefined {
  if (value === undefined) return "";
  return value.kind === "Literal" && typeof value.value === "string" ? value.value : undefined;
}

function isTrue(value: FieldNode | undefined): boolean {
  return value?.kind === "Literal" && value.value === true;
}

function addressesOf(config: FieldNode): string {
  const written = addressFields.flatMap((name) => textsIn(findNamedField(config, name)?.value));
  return written.toSorted().join(",");
}

function textsIn(value: FieldNode | undefined): readonly string[] {
  if (value === undefined) return [];
  return value.kind === "List" ? value.items.flatMap(textsIn) : writtenText(value).split(",");
}

function writtenText({ span: { source, start, end } }: FieldNode): string {
  return source.text.slice(start, end);
}

/**
 * Returns the names in a value. An item of a list may contain several, and Kafka allows partitions after a topic:
 * `orders:0-2`.
 */
function placesOf(
  value: FieldNode,
  isRegexp: boolean,
): readonly Pick<Destination, "name" | "span" | "isWritten">[] {
  if (value.kind === "List" && !isRegexp) return value.items.flatMap((item) => splitAt(item, /[^\s,][^,]*/g));
  // A pattern cannot be the name of a destination.
  if (value.kind === "List")
    return value.items.flatMap((item) =>
      splitAt(item, /[\s\S]+/g).map((place) => ({ ...place, isWritten: false })),
    );
  return splitAt(value, /[\s\S]+/g);
}

function splitAt(value: FieldNode, part: RegExp) {
  const text = writtenText(value);
  const { source, start } = value.span;
  if (value.kind !== "Literal" || value.value !== text)
    return text === "" ? [] : [{ name: text, span: value.span, isWritten: false }];
  return [...text.matchAll(part)].map(({ 0: found, index }) => {
    const lead = /^\$share\/[^/]*\//.exec(found)?.[0].length ?? 0;
    const name = found
      .slice(lead)
      .replace(/:\d+(?:-\d+)?$/, "")
      .trimEnd();
    const from = start + index + lead;
    return { name, span: spanOf(source, from, from + name.length), isWritten: true };
  });
}
