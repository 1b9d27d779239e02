import { GatewayError } from "../../errors.ts";
import { splitCommas } from "../../text/trim.ts";
import { partOf } from "./offsets.ts";

/** The topics to read, and for some of them the only partitions to read. */
export interface Selection {
  readonly topics: readonly string[];
  /** Partitions by topic. A topic without an entry is read as a whole. */
  readonly partitions: ReadonlyMap<string, readonly number[]>;
  /** The offsets to start at, by `partOf`, for partitions that name one. */
  readonly offsets: ReadonlyMap<string, bigint>;
}

/** Largest number of partitions in a range, so that a typing error does not create billions. */
const mostPartitions = 100_000;

/**
 * Parses `orders`, `orders:3` and `orders:0-3`, several of them separated by commas, and `orders:3:170` with the
 * start offset. Throws a `GatewayError` for anything else, which can only come from the environment.
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
