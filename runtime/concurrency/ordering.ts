// The order of messages that are worked on side by side.

/** Messages whose order counts, such as those of one key or of one partition. */
export interface Sequence {
  /** Equal for all messages of the sequence, and for no other of the same input. */
  readonly name: string;
  /**
   * Whether a message is processed only when the one before it has been: messages of one key. Others are processed side by side
   * and handed over in order.
   */
  readonly isKey: boolean;
}

/** How one piece of work is done: processed, then handed over. */
export interface OrderedWork<P, T> {
  /** Called only where other work is under way that it may have to wait for. */
  sequences(): Iterable<Sequence>;
  process(): P | Promise<P>;
  /** Called in the order of the calls of `run`, for each sequence. */
  handOver(processed: P): T;
}

/**
 * Hands over the work of each sequence in the order in which it came, and does the work of one key one piece after the other. Work
 * that is processed synchronously while nothing else is under way is handed over at once, without a look at its sequences.
 */
export class Ordering {
  /** By sequence, what settles when the newest work of it was handed over. */
  readonly #newest = new Map<string, Promise<void>>();

  /** Gives what `handOver` gives; rejects with what either function throws, which holds no other work up. */
  run<P, T>(work: OrderedWork<P, T>): T | Promise<T> {
    if (this.#newest.size === 0) {
      const processed = work.process();
      if (!(processed instanceof Promise)) return work.handOver(processed);
      const sequences = byName(work.sequences());
      return this.#enter(
        sequences.keys(),
        processed.then((value) => work.handOver(value)),
      );
    }
    const sequences = byName(work.sequences());
    const before = [...sequences.keys()].flatMap((name) => this.#newest.get(name) ?? []);
    const beforeKeys = [...sequences].flatMap(([name, isKey]) => (isKey && this.#newest.get(name)) || []);
    const processed =
      beforeKeys.length > 0 ? Promise.all(beforeKeys).then(() => work.process()) : work.process();
    if (!(processed instanceof Promise) && before.length === 0) return work.handOver(processed);
    return this.#enter(sequences.keys(), handOverAfter(before, processed, work));
  }

  #enter<T>(names: Iterable<string>, outcome: Promise<T>): Promise<T> {
    const entered = [...names];
    const settled: Promise<void> = outcome.then(leave, leave);
    const newest = this.#newest;
    for (const name of entered) newest.set(name, settled);
    function leave(): void {
      for (const name of entered) if (newest.get(name) === settled) newest.delete(name);
    }
    return outcome;
  }
}

function byName(sequences: Iterable<Sequence>): ReadonlyMap<string, boolean> {
  const names = new Map<string, boolean>();
  for (const { name, isKey } of sequences) names.set(name, isKey);
  return names;
}

async function handOverAfter<P, T>(
  before: readonly Promise<void>[],
  processed: P | Promise<P>,
  work: OrderedWork<P, T>,
): Promise<T> {
  const handed = Promise.all(before);
  let value: P;
  try {
    value = await processed;
  } finally {
    await handed; // work that fails leaves its place no earlier
  }
  return work.handOver(value);
}
