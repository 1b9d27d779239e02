// Keeps the order of messages that are processed concurrently.

import { TransientMap } from "./transient.ts";

/** Messages whose order matters, such as those of one key or of one partition. */
export interface Sequence {
  /** Equal for all messages of the sequence, and different for all other messages of the same input. */
  readonly name: string;
  /**
   * Whether a message is processed only when the previous one has been processed, as for messages of one key. Other
   * messages are processed concurrently and handed over in order.
   */
  readonly isKey: boolean;
}

/** One piece of work, which is processed and then handed over. */
export interface OrderedWork<P, T> {
  /** Returns its sequences. Called only if other work is in flight that it may have to wait for. */
  sequences(): Iterable<Sequence>;
  process(): P | Promise<P>;
  /** Called in the order of the calls of `run`, for each sequence. */
  handOver(processed: P): T;
}

/**
 * Hands over the work of each sequence in the order of arrival, and processes the work of one key one piece after the
 * other. Work that is processed synchronously while nothing else is in flight is handed over immediately, without
 * reading its sequences.
 */
export class Ordering {
  /**
   * By sequence, a promise that settles when its newest work was handed over. Created with the first one: while all work
   * is synchronous, each piece reads one object less.
   */
  #newest: TransientMap<string, Promise<void>> | undefined;

  /** Whether nothing that was run is still being processed. */
  get isIdle(): boolean {
    return this.#newest === undefined || this.#newest.size === 0;
  }

  /**
   * Returns the result of `handOver`; rejects with an error that either function throws, which delays no other work.
   */
  run<P, T>(work: OrderedWork<P, T>): T | Promise<T> {
    const newest = this.#newest;
    if (newest === undefined || newest.size === 0) {
      const processed = work.process();
      if (!(processed instanceof Promise)) return work.handOver(processed);
      const sequences = byName(work.sequences());
      return this.#enter(
        sequences.keys(),
        processed.then((value) => work.handOver(value)),
      );
    }
    const sequences = byName(work.sequences());
    const before = [...sequences.keys()].flatMap((name) => newest.get(name) ?? []);
    const beforeKeys = [...sequences].flatMap(([name, isKey]) => (isKey && newest.get(name)) || []);
    const processed =
      beforeKeys.length > 0 ? Promise.all(beforeKeys).then(() => work.process()) : work.process();
    if (!(processed instanceof Promise) && before.length === 0) return work.handOver(processed);
    return this.#enter(sequences.keys(), handOverAfter(before, processed, work));
  }

  #enter<T>(names: Iterable<string>, outcome: Promise<T>): Promise<T> {
    const entered = [...names];
    const settled: Promise<void> = outcome.then(leave, leave);
    this.#newest ??= new TransientMap();
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
    await handed; // failed work keeps its place until the work before it is handed over
  }
  return work.handOver(value);
}
