import { createBackoff, pause } from "../../concurrency/backoff.ts";
import { type OffsetLookup, partOf, type TopicPartition } from "./offsets.ts";
import { findStarts, type Start, type StartSettings } from "./starts.ts";

/** The attempts to find out where partitions start, while leaders and coordinators move. */
const attempts = { count: 8, pauses: { first: 50, longest: 1000 } };

/** The settings of `Beginnings`. */
export interface BeginningOptions extends StartSettings {
  readonly closing: AbortSignal;
  /** Begins to read. Returns the partitions that are not read from the offset at which the client itself started. */
  begin(starts: readonly Start[]): ReadonlySet<string>;
}

interface Beginning {
  readonly sought: Promise<ReadonlySet<string>>;
  isOver: boolean;
}

/** Tracks the time from an assignment until the start offsets of its partitions are known. */
export class Beginnings {
  readonly #options: BeginningOptions;
  #current: Beginning = { sought: Promise.resolve(new Set()), isOver: true };

  constructor(options: BeginningOptions) {
    this.#options = options;
  }

  /** Looks up where partitions start, and begins to read them, unless a new assignment arrives before. */
  start(lookup: OffsetLookup, partitions: readonly TopicPartition[]): void {
    const { promise: sought, resolve, reject } = Promise.withResolvers<ReadonlySet<string>>();
    sought.catch(() => undefined); // `isValid` rejects for the next fetched batch, which restarts the session
    const beginning: Beginning = { sought, isOver: false };
    this.#current = beginning;
    this.#find(lookup, partitions, beginning)
      .then((starts) => {
        beginning.isOver = true;
        resolve(starts === undefined ? new Set() : this.#options.begin(starts));
      })
      .catch(reject);
  }

  /** Resolves when the start of every partition that is assigned by then is known; rejects if the lookup fails. */
  async done(): Promise<void> {
    let beginning: Beginning | undefined;
    while (beginning !== this.#current) {
      beginning = this.#current;
      await beginning.sought;
    }
  }

  /**
   * Returns whether a batch that was just fetched belongs to the offsets that are read. Waits until these are known,
   * and rejects if the lookup fails.
   */
  async isValid(fetched: TopicPartition): Promise<boolean> {
    const beginning = this.#current;
    const { isOver: wasOver } = beginning;
    const sought = await beginning.sought;
    if (beginning !== this.#current || this.#options.closing.aborted) return false;
    return wasOver || !sought.has(partOf(fetched));
  }

  /** Returns `undefined` if a new assignment has arrived meanwhile. */
  async #find(
    lookup: OffsetLookup,
    partitions: readonly TopicPartition[],
    beginning: Beginning,
  ): Promise<readonly Start[] | undefined> {
    const { closing } = this.#options;
    const isCurrent = () => this.#current === beginning && !closing.aborted;
    const backoff = createBackoff(attempts.pauses);
    for (let attempt = 1; isCurrent(); attempt += 1) {
      try {
        const starts = await findStarts(lookup, partitions, this.#options);
        return isCurrent() ? starts : undefined;
      } catch (error) {
        if (attempt === attempts.count) throw error;
        await pause(backoff.next(), closing);
      }
    }
    return undefined;
  }
}
