// Messages that failed and come back to their stream, through a broker.

import type { Report } from "../../../diagnostics/sink.ts";
import { componentsOf, componentsWithin } from "../../../model/components.ts";
import { findErrorHandling } from "../../../model/error-handling.ts";
import type { SetModel } from "../../../model/set.ts";
import { writtenOptions } from "../../../model/written-options.ts";
import type { Span } from "../../../source/source.ts";
import type { ComponentNode, FieldNode, StreamNode } from "../../../trees/api.ts";
import { literalText } from "../../../trees/fields.ts";

/** A topic, subject or queue of a broker, as it is written. */
interface Channel {
  readonly key: string;
  readonly address: string;
  readonly span: Span;
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

function readBy(stream: StreamNode): readonly Channel[] {
  return componentsOf(stream).flatMap((component) =>
    component.role === "input" ? channelsOf(component) : [],
  );
}

/** The channels of a component whose names and brokers are written out. */
function channelsOf({ descriptor, config, nameSpan }: ComponentNode): readonly Channel[] {
  const channels = descriptor?.brokerChannels?.(writtenOptions(config));
  if (channels === undefined) return [];
  const servers = channels.servers.map(({ address }) => address ?? "").sort();
  return channels.addresses.flatMap((address) =>
    address === undefined
      ? []
      : [
          {
            key: [channels.protocol, ...servers, address].join(" "),
            address,
            span: findLiteral(config, address)?.span ?? nameSpan,
          },
        ],
  );
}

/** The value that names the channel. */
function findLiteral(config: FieldNode, text: string): FieldNode | undefined {
  if (config.kind !== "Object") return undefined;
  const values = config.fields.flatMap(({ value }) => (value.kind === "List" ? value.items : [value]));
  return values.find((value) => literalText(value) === text);
}
