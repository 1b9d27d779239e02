import { GatewayError } from "../../errors.ts";
import { splitCommas } from "../../text/trim.ts";
import { partOf } from "./offsets.ts";

/** Which topics are read, and of which of them only some partitions. */
export interface Selection {
  readonly topics: readonly string[];
  /** By topic; a topic that is not here is read as a whole. */
  readonly partitions: ReadonlyMap<string, readonly number[]>;
  /** Where to begin in partitions that name an offset, by `partOf`. */
  readonly offsets: ReadonlyMap<string, bigint>;
}

/** Partitions that a range may name: a slip of the finger must not make billions. */
const mostPartitions = 100_000;

/**
 * `orders`, `orders:3` and `orders:0-3`, several with commas between them, and `orders:3:170` with the offset to begin at.
 * Throws a `GatewayError` for anything else, which only the environment can bring here.
 */
export function parseSelection(texts: readonly string[]): Selection {
  const partitions = new Map<string, number[]>();
  const offsets = new Map<string, bigint>();
  const whole = new Set<string>();
  for (const text of texts.flatMap(splitCommas)) {
    const [, topic, first, last = first, offset] =
      /^([^:]+)(?::(\d+)(?:-(\d+))?(?::(\d{1,19}))?)?$/.exec(text) ?? [];
    if (topic === undefined) throw mistake(text);
    if (first === undefined) {
      whole.add(topic);
      continue;
    }
    const range = rangeOf(text, Number(first), Number(last));
    partitions.set(topic, [...new Set([...(partitions.get(topic) ?? []), ...range])]);
    if (offset === undefined) continue;
    for (const partition of range) offsets.set(partOf({ topic, partition }), BigInt(offset));
  }
  for (const topic of whole) partitions.delete(topic);
  return { topics: [...whole, ...partitions.keys()], partitions, offsets };
}

function rangeOf(text: string, first: number, last: number): number[] {
  if (last < first || last - first >= mostPartitions) throw mistake(text);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function mistake(text: string): GatewayError {
  return new GatewayError(500, `\`topics\` holds \`${text}\`, which names no topic or partitions of one`);
}
