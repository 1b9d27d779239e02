// The topics, subjects and queues that components read and write at brokers.

import type { BrokerChannels } from "../../schemas/component.ts";
import type { Span } from "../source/source.ts";
import type { ComponentNode, FieldNode, StreamNode } from "../trees/api.ts";
import { innerFields, literalText } from "../trees/fields.ts";
import { componentsOf } from "./components.ts";
import { writtenOptions } from "./written-options.ts";

/** A topic, subject or queue of a broker, as it is written. */
export interface WrittenChannel {
  /** The protocol and the servers. */
  readonly broker: string;
  /** The broker and the address as one text. */
  readonly key: string;
  readonly address: string;
  readonly span: Span;
}

/** The name of a channel, or its beginning. */
export type ChannelName = Omit<WrittenChannel, "key" | "span">;

/** Returns the channels of a component whose names and brokers are literals. */
export function channelsOf({ descriptor, config, nameSpan }: ComponentNode): readonly WrittenChannel[] {
  const channels = descriptor?.brokerChannels?.(writtenOptions(config));
  if (channels === undefined) return [];
  const broker = brokerOf(channels, config);
  const literals = literalsOf(config);
  return channels.addresses.flatMap((address) =>
    // A routing key of an exchange is not the queue of the same name.
    address === undefined || channels.channelBinding?.(address)?.exchange !== undefined
      ? []
      : [
          {
            broker,
            key: `${broker} ${address}`,
            address,
            span: literals.get(address)?.span ?? nameSpan,
          },
        ],
  );
}

/** Returns the protocol and the servers as one text. */
export function brokerOf({ protocol, servers }: BrokerChannels, config: FieldNode): string {
  const written = [
    ...servers.flatMap(({ address }) => address ?? []),
    ...(servers.some(({ address }) => address === undefined) ? variablesOf(config) : []),
  ].sort();
  return [protocol, ...written].join(" ");
}

/** Returns the text of addresses that are known only at start: equal texts count as the same broker. */
function variablesOf(config: FieldNode): readonly string[] {
  const values = innerFields(config).flatMap((value) => [value, ...innerFields(value)]);
  return values.flatMap((value) => {
    if (value.kind !== "Environment") return [];
    const { source, start, end } = value.span;
    return source.text.slice(start, end);
  });
}

/** Returns the values that can name channels, the first of each text. */
function literalsOf(config: FieldNode): ReadonlyMap<string | undefined, FieldNode> {
  if (config.kind !== "Object") return new Map();
  const values = config.fields.flatMap(({ value }) => (value.kind === "List" ? value.items : [value]));
  return new Map(values.toReversed().map((value) => [literalText(value), value]));
}

/** Returns the channels whose names depend on messages: their broker, and the prefix of the name. */
export function computedBy(stream: StreamNode): readonly ChannelName[] {
  return componentsOf(stream).flatMap((component) => {
    const channels =
      component.role === "output"
        ? component.descriptor?.brokerChannels?.(writtenOptions(component.config))
        : undefined;
    if (channels?.addresses.includes(undefined) !== true) return [];
    const broker = brokerOf(channels, component.config);
    return (channels.beginnings ?? [""]).map((beginning) => ({ broker, address: beginning }));
  });
}
