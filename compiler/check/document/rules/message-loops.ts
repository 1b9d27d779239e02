// Rules about the topics, subjects and queues that streams of a set both write and read: messages that return to their
// own stream (all of them, or the failed ones), names that are nearly the same, and consumer groups shared by several
// streams.

import { descriptorOf, type OutputFlow } from "../../../../schemas/component.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { findSlip } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import {
  brokerOf,
  type ChannelName,
  channelsOf,
  computedBy,
  type WrittenChannel,
} from "../../../model/channels.ts";
import { componentsOf, componentsWithin, endsOf } from "../../../model/components.ts";
import { findErrorHandling } from "../../../model/error-handling.ts";
import { optionsNamed } from "../../../model/options.ts";
import type { SetModel } from "../../../model/set.ts";
import { writtenOptions } from "../../../model/written-options.ts";
import type { Span } from "../../../source/source.ts";
import type { ComponentNode, StreamNode } from "../../../trees/api.ts";
import { fieldsOfComponent, literalText, nestedComponents } from "../../../trees/fields.ts";

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
  const started = streams.flatMap(computedBy).filter(isOfUsualLength);
  const computed = new Set(started.map(({ broker, address }) => keyOf(broker, address)));
  const begun = new Set(read.flatMap((each) => beginningsOf(each, computed)));
  const writtenNames = namesByBroker(written);
  const readNames = namesByBroker(read.filter(({ key }) => writtenKeys.has(key)));
  const beginnings = namesByBroker(
    started.filter(
      ({ broker, address }) => wholeBeginning.test(address) && !begun.has(keyOf(broker, address)),
    ),
  );
  for (const channel of read) {
    const { key, broker, address, span } = channel;
    if (writtenKeys.has(key) || beginningsOf(channel, computed).length > 0) continue;
    const closest =
      findSlip(address, writtenNames.get(broker) ?? []) ??
      withBeginning(address, beginnings.get(broker) ?? new Set());
    if (closest !== undefined) report("GW4124", span, { channel: address, closest, respelling: "unsure" });
  }
  for (const { broker, address, span } of unread) {
    const closest = findSlip(address, readNames.get(broker) ?? []);
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
    const uses = Map.groupBy([...same.entries()], ([, { name }]) => name);
    const names = [...uses.keys()];
    for (const [place, { name, subject, span }] of same.entries()) {
      const own = uses.get(name)?.length ?? 0;
      const isRarer = (other: string) => {
        const [[first] = [place], ...more] = uses.get(other) ?? [];
        return own < more.length + 1 || (own === more.length + 1 && place > first);
      };
      const closest = findSlip(name, names, isRarer);
      if (closest !== undefined) report("GW4135", span, { name, subject, closest, respelling: "unsure" });
    }
  }
}

const subjectOptions = optionsNamed(["stream", "subject"]);

/** Returns the stream that an input names for its subject, if both are literals. */
function storedIn(input: ComponentNode) {
  const { descriptor, config } = input;
  const channels = descriptor?.brokerChannels?.(writtenOptions(config));
  const options = subjectOptions(input);
  const value = options?.stream.value;
  const [name, subject] = [options?.stream.text, options?.subject.text];
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

const groupOptions = optionsNamed([], ["consumer_group", "queue", "topics"]);

/**
 * Returns the group whose members share the messages of an input; `undefined` if its partitions are assigned
 * explicitly.
 */
function groupOf(input: ComponentNode): { name: string; span: Span } | undefined {
  const binding = input.descriptor?.brokerChannels?.(writtenOptions(input.config)).operationBinding;
  const options = groupOptions(input);
  const group = binding?.queue === undefined ? options?.consumer_group : options?.queue;
  const [name, value] = [group?.text, group?.value];
  const isAssigned = options?.topics?.each.some((topic) => literalText(topic)?.includes(":")) === true;
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

/** Returns the names at each broker. */
function namesByBroker(channels: readonly ChannelName[]): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  for (const { broker, address } of channels) {
    const known = names.get(broker);
    if (known === undefined) names.set(broker, new Set([address]));
    else known.add(address);
  }
  return names;
}

/** Matches a beginning that consists of whole parts. */
const wholeBeginning = /^(?:[\p{L}\p{N}]+[^\p{L}\p{N}])+$/u;

/**
 * Returns the name that the address would have with the beginning that its own is a misspelling of: `orders-eu` for
 * `order-eu` and `orders-`.
 */
function withBeginning(address: string, beginnings: ReadonlySet<string>): string | undefined {
  if (beginnings.size === 0) return undefined;
  let end = 0;
  for (const [part] of address.matchAll(/[\p{L}\p{N}]+[^\p{L}\p{N}]/guy)) {
    end += part.length;
    const meant = findSlip(address.slice(0, end), beginnings);
    if (meant !== undefined) return meant + address.slice(end);
  }
  return undefined;
}

function readBy(stream: StreamNode): readonly WrittenChannel[] {
  return channelsWith("input", stream);
}

function channelsWith(role: "input" | "output", stream: StreamNode): readonly WrittenChannel[] {
  return componentsOf(stream).flatMap((component) => (component.role === role ? channelsOf(component) : []));
}
