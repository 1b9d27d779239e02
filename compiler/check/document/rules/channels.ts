// Channels between the streams of a set: each is written to and read, and leads nowhere back.

import type { Report } from "../../../diagnostics/sink.ts";
import { componentsOf } from "../../../model/components.ts";
import type { SetModel } from "../../../model/set.ts";
import type { Span } from "../../../source/source.ts";
import type { ComponentNode, StreamNode } from "../../../trees/api.ts";
import { literalText } from "../../../trees/fields.ts";

/** One end of a channel. */
interface End {
  readonly stream: StreamNode;
  readonly channel: string;
  readonly span: Span;
}

/** Reports ends of channels that have no other end, and outputs whose messages come back to their stream. */
export function checkChannels({ served }: Pick<SetModel, "served">, report: Report): void {
  const streams = served.flatMap((api) => api.streams);
  const writers = streams.flatMap((stream) => endsOf(stream, "output"));
  const readers = streams.flatMap((stream) => endsOf(stream, "input"));
  const leadsBack = createSearch(writers, readers);
  for (const { stream, channel, span } of writers) {
    if (!readers.some((reader) => reader.channel === channel)) report("GW4123", span, { channel });
    else if (leadsBack(channel, stream)) report("GW4126", span, { channel });
  }
  for (const { channel, span } of readers) {
    if (!writers.some((writer) => writer.channel === channel)) report("GW4124", span, { channel });
  }
}

function endsOf(stream: StreamNode, role: ComponentNode["role"]): readonly End[] {
  return componentsOf(stream).flatMap((component): readonly End[] => {
    const isEnd = component.role === role && component.descriptor?.isChannel === true;
    const channel = isEnd ? literalText(component.config) : undefined;
    return channel === undefined ? [] : [{ stream, channel, span: component.config.span }];
  });
}

/** Whether what is written to a channel can come to `target`. */
function createSearch(writers: readonly End[], readers: readonly End[]) {
  return (channel: string, target: StreamNode): boolean => {
    const seen = new Set<string>();
    const pending = [channel];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      const reached = readers.filter((reader) => reader.channel === next).map(({ stream }) => stream);
      if (reached.includes(target)) return true;
      pending.push(...writers.filter(({ stream }) => reached.includes(stream)).map((end) => end.channel));
    }
    return false;
  };
}
