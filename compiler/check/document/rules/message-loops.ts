// Topics, subjects and queues that streams of a set both write and read: messages that come back to their stream, all that it
// writes or those that failed, and names that are nearly the same.

import { type BrokerChannels, descriptorOf, type OutputFlow } from "../../../../schemas/component.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { difference } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import { componentsOf, componentsWithin, nestedComponents } from "../../../model/components.ts";
import { findErrorHandling } from "../../../model/error-handling.ts";
import type { SetModel } from "../../../model/set.ts";
import { writtenOptions } from "../../../model/written-options.ts";
import type { Span } from "../../../source/source.ts";
import type { ComponentNode, FieldNode, StreamNode } from "../../../trees/api.ts";
import { fieldsOfComponent, innerFields, literalText } from "../../../trees/fields.ts";

/** A topic, subject or queue of a broker, as it is written. */
interface Channel {
  /** The protocol and the servers. */
  readonly broker: string;
  /** These and the address. */
  readonly key: string;
  readonly address: string;
  readonly span: Span;
}

/** Reports outputs that write each message of their stream to a topic, subject or queue which the stream reads. */
export function checkWriteLoops(stream: StreamNode, _api: ApiModel, report: Report): void {
  if (stream.output === undefined || mayEnd(stream)) return;
  const read = new Set(readBy(stream).map(({ key }) => key));
  if (read.size === 0) return;
  for (const { key, address, span } of alwaysWritten(stream.output).flatMap(channelsOf))
    if (read.has(key)) report("GW4126", span, { channel: address });
}

/** What becomes of messages in outputs that hand each to all or some of those inside them, whatever it is. */
const handsOn: ReadonlySet<OutputFlow> = new Set(["write", "repeat", "drop-refused"]);

function alwaysWritten(output: ComponentNode): readonly ComponentNode[] {
  const flow = descriptorOf("output", output)?.flow;
  const inner = nestedComponents(output.config);
  return inner.length > 0 && flow !== undefined && handsOn.has(flow)
    ? inner.flatMap(alwaysWritten)
    : [output];
}

/** Whether a step may take a message out, or route it: then it depends on the messages how often they come back. */
function mayEnd(stream: StreamNode): boolean {
  const steps = componentsOf(stream).filter(({ role }) => role === "processor");
  return steps.some((step) => {
    const processor = descriptorOf("processor", step);
    if (processor?.changesCount === true || processor?.flow?.kind === "cases") return true;
    return [...fieldsOfComponent(step)].some(
      (field) => field.kind === "Mapping" && endsMessages.test(textOf(field.span)),
    );
  });
}

/** What takes messages out of a stream, or has them refused; another file may do so. */
const endsMessages = /\b(?:deleted|throw)\(|\b(?:import|from)\s*"/;

function textOf({ source, start, end }: Span): string {
  return source.text.slice(start, end);
}

/** Reports dead letters that are written to a topic, subject or queue which their stream reads. */
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
 * Reports inputs whose topic, subject or queue is nearly one that only outputs name, or begins nearly as those that outputs
 * compute, where nothing else writes to it.
 */
export function checkNearlyWritten({ served }: Pick<SetModel, "served">, report: Report): void {
  const streams = served.flatMap((api) => api.streams);
  const read = streams.flatMap(readBy);
  const written = streams.flatMap((stream) => channelsWith("output", stream));
  const readKeys = new Set(read.map(({ key }) => key));
  const writtenKeys = new Set(written.map(({ key }) => key));
  const unread = written.filter(({ key }) => !readKeys.has(key));
  const computed = streams.flatMap(computedBy);
  const unreadBeginnings = computed.filter(
    (each) =>
      !read.some(({ broker, address }) => broker === each.broker && address.startsWith(each.beginning)),
  );
  for (const { key, broker, address, span } of read) {
    const isHere = (each: { readonly broker: string }) => each.broker === broker;
    const isComputed = computed.filter(isHere).some(({ beginning }) => address.startsWith(beginning));
    if (writtenKeys.has(key) || isComputed) continue;
    const names = [
      ...unread.filter(isHere).map((each) => each.address),
      ...unreadBeginnings.filter(isHere).flatMap(({ beginning }) => withBeginning(address, beginning) ?? []),
    ];
    const closest = names.find((name) => isSlip(address, name));
    if (closest !== undefined) report("GW4124", span, { channel: address, closest, respelling: "unsure" });
  }
}

/** A name whose first parts are others, of which there are as many: `orders-eu` for `order-eu` and `orders-`. */
function withBeginning(address: string, beginning: string): string | undefined {
  const parts = beginning.match(/[\p{L}\p{N}]+[^\p{L}\p{N}]/gu) ?? [];
  if (parts.length === 0 || parts.join("") !== beginning) return undefined;
  const own = address.match(/[\p{L}\p{N}]+[^\p{L}\p{N}]/gu)?.slice(0, parts.length) ?? [];
  const head = own.join("");
  return own.length === parts.length && address.startsWith(head)
    ? beginning + address.slice(head.length)
    : undefined;
}

/** Channels that the messages tell: their brokers, and what their names begin with. */
function computedBy(stream: StreamNode): readonly { readonly broker: string; readonly beginning: string }[] {
  return componentsOf(stream).flatMap((component) => {
    const channels =
      component.role === "output"
        ? component.descriptor?.brokerChannels?.(writtenOptions(component.config))
        : undefined;
    if (channels?.addresses.includes(undefined) !== true) return [];
    const broker = brokerOf(channels, component.config);
    return (channels.beginnings ?? [""]).map((beginning) => ({ broker, beginning }));
  });
}

/** Whether one name is most likely the other misspelt: one part of four letters or more differs in a letter that is not a digit. */
function isSlip(one: string, other: string): boolean {
  const [parts, others] = [one, other].map((name) => name.split(/[^\p{L}\p{N}]+/u));
  if (parts === undefined || others === undefined || parts.length !== others.length) return false;
  const differing = parts.flatMap((part, at) =>
    part === others[at] ? [] : [[part, others[at] ?? ""] as const],
  );
  const [[part, meant] = ["", ""], ...more] = differing;
  return (
    more.length === 0 &&
    Math.min(part.length, meant.length) >= 4 &&
    !/\d/.test(part + meant) &&
    difference(part, meant) === 1
  );
}

function readBy(stream: StreamNode): readonly Channel[] {
  return channelsWith("input", stream);
}

function channelsWith(role: "input" | "output", stream: StreamNode): readonly Channel[] {
  return componentsOf(stream).flatMap((component) => (component.role === role ? channelsOf(component) : []));
}

/** The channels of a component whose names and brokers are written out. */
function channelsOf({ descriptor, config, nameSpan }: ComponentNode): readonly Channel[] {
  const channels = descriptor?.brokerChannels?.(writtenOptions(config));
  if (channels === undefined) return [];
  const broker = brokerOf(channels, config);
  return channels.addresses.flatMap((address) =>
    // A key of an exchange is not the queue of that name.
    address === undefined || channels.channelBinding?.(address)?.exchange !== undefined
      ? []
      : [
          {
            broker,
            key: `${broker} ${address}`,
            address,
            span: findLiteral(config, address)?.span ?? nameSpan,
          },
        ],
  );
}

/** The protocol and the servers. */
function brokerOf({ protocol, servers }: BrokerChannels, config: FieldNode): string {
  const written = [
    ...servers.flatMap(({ address }) => address ?? []),
    ...(servers.some(({ address }) => address === undefined) ? variablesOf(config) : []),
  ].sort();
  return [protocol, ...written].join(" ");
}

/** Brokers that are known at start only: those of the same text are the same. */
function variablesOf(config: FieldNode): readonly string[] {
  const values = innerFields(config).flatMap((value) => [value, ...innerFields(value)]);
  return values.flatMap((value) => (value.kind === "Environment" ? textOf(value.span) : []));
}

/** The value that names the channel. */
function findLiteral(config: FieldNode, text: string): FieldNode | undefined {
  if (config.kind !== "Object") return undefined;
  const values = config.fields.flatMap(({ value }) => (value.kind === "List" ? value.items : [value]));
  return values.find((value) => literalText(value) === text);
}
