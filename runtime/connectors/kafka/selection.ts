import { GatewayError } from "../../errors.ts";
import { splitCommas } from "../../text/trim.ts";

/** Which topics are read, and of which of them only some partitions. */
export interface Selection {
  readonly topics: readonly string[];
  /** By topic; a topic that is not here is read as a whole. */
  readonly partitions: ReadonlyMap<string, readonly number[]>;
}

/** Partitions that a range may name: a slip of the finger must not make billions. */
const mostPartitions = 100_000;

/**
 * `orders`, `orders:3` and `orders:0-3`, several with commas between them. Throws a `GatewayError` for
 * anything else, which only the environment can bring here.
 */
export function parseSelection(texts: readonly string[]): Selection {
  const partitions = new Map<string, number[]>();
  const whole = new Set<string>();
  for (const text of texts.flatMap(splitCommas)) {
    const [, topic, first, last = first] = /^([^:]+)(?::(\d+)(?:-(\d+))?)?$/.exec(text) ?? [];
    if (topic === undefined) throw mistake(text);
    if (first === undefined) whole.add(topic);
    else {
      const chosen = partitions.get(topic) ?? [];
      partitions.set(topic, [...chosen, ...rangeOf(text, Number(first), Number(last))]);
    }
  }
  for (const topic of whole) partitions.delete(topic);
  return { topics: [...whole, ...partitions.keys()], partitions };
}

function rangeOf(text: string, first: number, last: number): number[] {
  if (last < first || last - first >= mostPartitions) throw mistake(text);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function mistake(text: string): GatewayError {
  return new GatewayError(500, `\`topics\` holds \`${text}\`, which names no topic or partitions of one`);
}
