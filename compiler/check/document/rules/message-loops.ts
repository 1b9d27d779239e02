// Rules about the topics, subjects and queues that streams of a set both write and read: messages that return to their
// own stream (all of them, or the failed ones), names that are nearly the same, and consumer groups shared by several
// streams.

import { descriptorOf, type OutputFlow } from "../../../../schemas/component.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { canSlip, isSlip, partsOf } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import {
  brokerOf,
  type ChannelName,
  channelsOf,
  computedBy,
  type WrittenChannel,
} from "../../../model/channels.ts";
import { componentsOf, componentsWithin, endsOf, nestedComponents } from "../../../model/components.ts";
import { findErrorHandling } from "../../../model/error-handling.ts";
import type { SetModel } from "../../../model/set.ts";
import { writtenOptions } from "../../../model/written-options.ts";
import type { Span } from "../../../source/source.ts";
import type { ComponentNode, StreamNode } from "../../../trees/api.ts";
import { fieldsOfComponent, findField, innerFields, literalText } from "../../../trees/fields.ts";

/** Reports outputs that write every message of their stream to a topic, subject or queue that the stream reads. */
export function checkWriteLoops(stream: StreamNode, _api: ApiModel, report: Report): void {
  if (stream.output === undefined || mayEnd(stream)) return;
  const read = new Set(readBy(stream).map(({ key }) => key));
  if (read.size === 0) return;
  for (const { key, address, span } of alwaysWritten(stream.output).flatMap(channelsOf))
    if (read.has(key)) report("GW4126", span, { channel: address });
}

/** Flows of outputs that pass each message to all or some of the outputs inside them, whatever the message contains. */
const handsOn: ReadonlySet<OutputFlow> = new Set(["write", "repeat", "drop-refused"]);

function alwaysWritten(output: ComponentNode): readonly ComponentNode[] {
  const flow = descriptorOf("output", output)?.flow;
  const inner = nestedComponents(output.config);
  return inner.length > 0 && flow !== undefined && handsOn.has(flow)
    ? inner.flatMap(alwaysWritten)
    : [output];
}

/** Whether a step can remove or route messages: how often a message returns then depends on the message. */
function mayEnd(stream: StreamNode): boolean {
  const steps = componentsOf(stream).filter(({ role }) => role === "processor");
  return steps.some((step) => {
    const processor = descriptorOf("processor", step);
    if (processor?.changesCount === true || processor?.flow?.kind === "cases") return true;
    return fieldsOfComponent(step).some(({ kind, span: { source, start, end } }) => {
      return kind === "Mapping" && endsMessages.test(source.text.slice(start, end));
    });
  });
}

/** Matches code that removes messages or makes them fail; an imported file may do so too. A quote may be escaped. */
const endsMessages = /\b(?:deleted|throw)\(|\b(?:import|from)\s*\\?"/;

/** Reports dead letter outputs that write to a topic, subject or queue that their stream reads. */
export function checkDeadLetterLoops(set: Pick<SetModel, "served" | "process">, report: Report): void {
  for (const stream of set.served.flatMap((api) => api.streams)) {
    const read = new Set(readBy(stream).map(({ key }) => key));
    if (read.size === 0) continue;
    const { strategy, deadLetter } = findErrorHandling(stream, set);
    if (strategy !== "dead_letter" || deadLetter === undefined) continue;
    for (const { key, address, span } of componentsWithin(deadLetter).flatMap(channelsOf))
      if (read.has(key)) report("GW4128", span, { channel: address, stream: stream.name });
  }
}

/**
 * Reports inputs that read a topic, subject or queue that nothing writes, but whose name resembles one that outputs
 * name, or begins nearly like names that outputs compute. Also reports outputs that write a topic that nothing reads,
 * but whose name resembles one that inputs name and other outputs write to.
 */
export function checkNearlyWritten({ served }: Pick<SetModel, "served">, report: Report): void {
  const streams = served.flatMap((api) => api.streams);
  const read = streams.flatMap(readBy).filter(isOfUsualLength);
  // A name is compared with those of the other end.
  if (read.length === 0) return;
  const written = streams.flatMap((stream) => channelsWith("output", stream)).filter(isOfUsualLength);
  const readKeys = new Set(read.map(({ key }) => key));
  const writtenKeys = new Set(written.map(({ key }) => key));
  const unread = written.filter(({ key }) => !readKeys.has(key));
  const computed = new Set(
    streams
      .flatMap(computedBy)
      .filter(isOfUsualLength)
      .map(({ broker, address }) => keyOf(broker, address)),
  );
  const begun = new Set(read.flatMap((each) => beginningsOf(each, computed)));
  const findName = indexNames(written.map(({ broker, address }) => keyOf(broker, address)));
  const findRead = indexNames(
    read.filter(({ key }) => writtenKeys.has(key)).map(({ broker, address }) => keyOf(broker, address)),
  );
  const findBeginning = indexNames([...computed].filter((each) => !begun.has(each)));
  for (const channel of read) {
    const { key, broker, address, span } = channel;
    if (writtenKeys.has(key) || beginningsOf(channel, computed).length > 0) continue;
    const names = [...findName(broker, partsOf(address)), ...withBeginnings(channel, findBeginning)];
    const closest = names.find((name) => isSlip(address, name));
    if (closest !== undefined) report("GW4124", span, { channel: address, closest, respelling: "unsure" });
  }
  for (const { broker, address, span } of unread) {
    const closest = findRead(broker, partsOf(address)).find((name) => isSlip(address, name));
    if (closest === undefined) continue;
    report("GW4124", span, { channel: address, closest, respelling: "unsure", end: "output" });
  }
}

/**
 * Reports a JetStream stream whose name resembles the stream in which another input reads the same subject: a server
 * stores each subject in only one stream.
 */
export function checkNearStreams({ served }: Pick<SetModel, "served">, report: Report): void {
  const read = served
    .flatMap((api) => api.streams)
    .flatMap((stream) => endsOf(stream, "input").flatMap(storedIn));
  for (const same of Map.groupBy(read, ({ key }) => key).values()) {
    const uses = Map.groupBy(same, ({ name }) => name);
    for (const [place, { name, subject, span }] of same.entries()) {
      const isRarer = (other: (typeof same)[number], at: number) => {
        const [own = 0, others = 0] = [uses.get(name)?.length, uses.get(other.name)?.length];
        return isSlip(name, other.name) && (own < others || (own === others && place > at));
      };
      const meant = same.find(isRarer);
      if (meant !== undefined)
        report("GW4135", span, { name, subject, closest: meant.name, respelling: "unsure" });
    }
  }
}

/** Returns the stream that an input names for its subject, if both are literals. */
function storedIn({ descriptor, config }: ComponentNode) {
  const channels = descriptor?.brokerChannels?.(writtenOptions(config));
  const value = findField(config, "stream");
  const [name, subject] = [literalText(value), literalText(findField(config, "subject"))];
  if (channels === undefined || value === undefined || name === undefined || subject === undefined) return [];
  if (name.length > longestName) return [];
  return [{ name, subject, span: value.span, key: keyOf(brokerOf(channels, config), subject) }];
}

/**
 * Reports a group in which another stream reads the same topic or subject: a broker sends each message to only one of
 * them.
 */
export function checkSharedGroups({ served }: Pick<SetModel, "served">, report: Report): void {
  const earlier = new Map<string, { readonly stream: StreamNode; readonly span: Span }>();
  for (const stream of served.flatMap((api) => api.streams)) {
    for (const input of endsOf(stream, "input")) {
      const group = groupOf(input);
      if (group === undefined) continue;
      const { name, span } = group;
      const channels = channelsOf(input).map(({ key, address }) => ({ key: keyOf(key, name), address }));
      const shared = channels.find(({ key }) => (earlier.get(key)?.stream ?? stream) !== stream);
      const other = shared && earlier.get(shared.key);
      // An input that YAML aliases repeat is written only once, for all of its streams.
      if (shared !== undefined && other !== undefined && !isSamePlace(span, other.span)) {
        const details = { group: name, channel: shared.address, stream: other.stream.name };
        report("GW4078", span, details, { span: other.span, message: "The other one is here." });
      }
      for (const { key } of channels) if (!earlier.has(key)) earlier.set(key, { stream, span });
    }
  }
}

function isSamePlace(one: Span, other: Span): boolean {
  return one.source === other.source && one.start === other.start;
}

/**
 * Returns the group whose members share the messages of an input; `undefined` if its partitions are assigned
 * explicitly.
 */
function groupOf({ descriptor, config }: ComponentNode): { name: string; span: Span } | undefined {
  const binding = descriptor?.brokerChannels?.(writtenOptions(config)).operationBinding;
  const value = findField(config, binding?.queue === undefined ? "consumer_group" : "queue");
  const name = literalText(value);
  const topics = findField(config, "topics");
  const isAssigned = [topics, ...(topics === undefined ? [] : innerFields(topics))].some((topic) =>
    literalText(topic)?.includes(":"),
  );
  return value === undefined || name === undefined || name === "" || isAssigned
    ? undefined
    : { name, span: value.span };
}

/** Longest usual name at a broker (Kafka topics: 249): comparing longer names takes time quadratic in their length. */
const longestName = 255;

function isOfUsualLength({ address }: ChannelName): boolean {
  return address.length <= longestName;
}

/** Returns the broker and the name as one text; names of brokers contain no line ends. */
function keyOf(broker: string, name: string): string {
  return `${broker}\n${name}`;
}

/** Returns the prefixes of a name that are among `known`. */
function beginningsOf({ broker, address }: ChannelName, known: ReadonlySet<string>): readonly string[] {
  if (known.size === 0) return [];
  const all = Array.from({ length: address.length + 1 }, (_, end) => keyOf(broker, address.slice(0, end)));
  return all.filter((each) => known.has(each));
}

/** Finds names at a broker by their parts in order, one of which may be misspelt. */
type FindNames = (broker: string, parts: readonly string[]) => readonly string[];

/**
 * Returns a function that compares a name only with names that share a possible misspelling, so that the time for each
 * stream does not grow with the number of streams in the set.
 */
function indexNames(keys: readonly string[]): FindNames {
  const names = [...new Set(keys)];
  const places = new Map<string, number[]>();
  for (const [place, each] of names.entries()) {
    const [broker = "", name = ""] = each.split("\n");
    for (const spelling of spellings(broker, partsOf(name))) {
      const known = places.get(spelling);
      if (known === undefined) places.set(spelling, [place]);
      else known.push(place);
    }
  }
  return (broker, parts) => {
    const found = new Set(spellings(broker, parts).flatMap((spelling) => places.get(spelling) ?? []));
    return [...found].sort((one, other) => one - other).map((place) => names[place]?.split("\n")[1] ?? "");
  };
}

/**
 * Returns the parts as they are, and with one letter left out: two names that differ by one slip share one of these.
 */
function spellings(broker: string, parts: readonly string[]): readonly string[] {
  const withPart = (at: number, part: string) => [broker, ...parts.with(at, part)].join("\n");
  return [
    [broker, ...parts].join("\n"),
    ...parts.flatMap((part, at) =>
      canSlip(part)
        ? Array.from({ length: part.length }, (_, left) =>
            withPart(at, part.slice(0, left) + part.slice(left + 1)),
          )
        : [],
    ),
  ];
}

/**
 * Returns names that start with parts similar to the first parts of the address: `orders-eu` for `order-eu` and
 * `orders-`.
 */
function withBeginnings({ broker, address }: ChannelName, find: FindNames): readonly string[] {
  const heads = address.match(/[\p{L}\p{N}]+[^\p{L}\p{N}]/gu) ?? [];
  return heads.flatMap((_, last) => {
    const head = heads.slice(0, last + 1).join("");
    if (!address.startsWith(head)) return [];
    return find(broker, partsOf(head))
      .filter((beginning) => /^(?:[\p{L}\p{N}]+[^\p{L}\p{N}])+$/u.test(beginning))
      .map((beginning) => beginning + address.slice(head.length));
  });
}

function readBy(stream: StreamNode): readonly WrittenChannel[] {
  return channelsWith("input", stream);
}

function channelsWith(role: "input" | "output", stream: StreamNode): readonly WrittenChannel[] {
  return componentsOf(stream).flatMap((component) => (component.role === role ? channelsOf(component) : []));
}
