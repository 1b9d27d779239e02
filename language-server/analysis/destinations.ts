// What the streams of a set read from brokers and channels, and what they write there: topics, subjects, queues. Two streams
// meet where both name the same one of the same broker.

import { componentsOf } from "../../compiler/model/components.ts";
import { type Span, spanOf } from "../../compiler/source/source.ts";
import type { ComponentNode, FieldNode, StreamNode } from "../../compiler/trees/api.ts";
import { findNamedField } from "../../compiler/trees/fields.ts";
import type { Component } from "../../schemas/component.ts";
import type { Analysis } from "./analysis.ts";

/** A name that a component of a stream reads from or writes to. */
export interface Destination {
  readonly stream: StreamNode;
  readonly direction: "reads" | "writes";
  /** What kind of broker it is, and which one, as far as the document says. */
  readonly broker: string;
  /** `orders`, or what stands there where the name is read from elsewhere: `${TOPIC}`. */
  readonly name: string;
  /** Where it stands. */
  readonly span: Span;
  /** Whether the name stands there as it is. */
  readonly isWritten: boolean;
}

/** Where components have the names of what they read and write. */
interface Naming {
  readonly system: string;
  readonly reads?: string;
  readonly writes?: string;
  /** Characters of filters: for one part of a name, and for all the rest of it. */
  readonly filter?: { readonly separator: string; readonly one: string; readonly rest: string };
}

const nats: Naming = {
  system: "nats",
  reads: "subject",
  writes: "subject",
  filter: { separator: ".", one: "*", rest: ">" },
};

const bucket = (system: string): Naming => ({ system, reads: "bucket", writes: "bucket" });

/** By the names of components; channels inside of the process are recognised by their descriptors. */
const namings: Readonly<Record<string, Naming>> = {
  kafka: { system: "kafka", reads: "topics", writes: "topic" },
  kafka_franz: { system: "kafka", reads: "topics", writes: "topic" },
  mqtt: {
    system: "mqtt",
    reads: "topics",
    writes: "topic",
    filter: { separator: "/", one: "+", rest: "#" },
  },
  nats,
  nats_jetstream: nats,
  nats_kv: bucket("nats_kv"),
  nats_object_store: bucket("nats_object_store"),
  amqp_0_9: { system: "amqp_0_9", reads: "queue" },
  amqp_1: { system: "amqp_1", reads: "source_address", writes: "target_address" },
  redis_pubsub: { system: "redis_pubsub", reads: "channels", writes: "channel" },
  redis_streams: { system: "redis_streams", reads: "streams", writes: "stream" },
  redis_list: { system: "redis_list", reads: "key", writes: "key" },
};

/** Fields that say which broker it is. */
const addressFields = ["addresses", "seed_brokers", "urls", "url", "address"];

const filters: Readonly<Record<string, Naming["filter"]>> = { mqtt: namings.mqtt?.filter, nats: nats.filter };

const known = new WeakMap<Analysis, readonly Destination[]>();

/** Every destination of the streams of a set, in the order of the documents. */
export function destinationsOf(analysis: Analysis): readonly Destination[] {
  const streams = analysis.set?.apis.flatMap((api) => api.streams) ?? [];
  const found =
    known.get(analysis) ??
    streams.flatMap((stream) => componentsOf(stream).flatMap((each) => destinationsIn(each, stream)));
  known.set(analysis, found);
  return found;
}

/** Whether what `writer` writes comes to `reader`. */
export function meets(writer: Destination, reader: Destination): boolean {
  if (writer.direction !== "writes" || reader.direction !== "reads" || writer.broker !== reader.broker)
    return false;
  const filter = filters[writer.broker.split(" ", 1)[0] ?? ""];
  return writer.name === reader.name || (filter !== undefined && matches(reader.name, writer.name, filter));
}

/** The kind of broker that a component goes to; the first word of `Destination.broker`. */
export function systemOf({ name, isChannel }: Pick<Component, "name" | "isChannel">): string | undefined {
  return isChannel === true ? name : namings[name]?.system;
}

/** The key under which a component has the names of what it reads or writes; absent where it has none. */
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
  const field = destinationField(descriptor);
  if (field === undefined) return [];
  const isChannel = descriptor.isChannel === true;
  const value = isChannel ? config : findNamedField(config, field)?.value;
  if (value === undefined) return [];
  const broker = `${systemOf(descriptor)} ${isChannel ? "" : addressesOf(config)}`;
  const direction = role === "input" ? "reads" : "writes";
  return placesOf(value).map((place) => ({ stream, direction, broker, ...place }));
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

/** The names in a value. A list may hold several in one text, and Kafka takes partitions behind a topic: `orders:0-2`. */
function placesOf(value: FieldNode): readonly Pick<Destination, "name" | "span" | "isWritten">[] {
  if (value.kind === "List") return value.items.flatMap((item) => splitAt(item, /[^\s,][^,]*/g));
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

function matches(
  filter: string,
  name: string,
  { separator, one, rest }: NonNullable<Naming["filter"]>,
): boolean {
  const wanted = filter.split(separator);
  const given = name.split(separator);
  for (const [index, part] of wanted.entries()) {
    if (part === rest) return index < given.length || separator === "/";
    if (given[index] === undefined || (part !== one && part !== given[index])) return false;
  }
  return wanted.length === given.length;
}
