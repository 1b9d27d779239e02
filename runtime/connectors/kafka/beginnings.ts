import { createBackoff, pause } from "../../concurrency/backoff.ts";
import { type OffsetLookup, partOf, type TopicPartition } from "./offsets.ts";
import { findStarts, type Start, type StartSettings } from "./starts.ts";

/** Attempts to learn where partitions begin, while leaders and coordinators move. */
const attempts = { count: 8, pauses: { first: 50, longest: 1000 } };

/** What happens with beginnings. */
export interface BeginningOptions extends StartSettings {
  readonly closing: AbortSignal;
  /** Begins to read; returns the partitions that are not read from the offset at which the client itself began. */
  begin(starts: readonly Start[]): ReadonlySet<string>;
}

interface Beginning {
  readonly sought: Promise<ReadonlySet<string>>;
  isOver: boolean;
}

/** The times from an assignment until it is known where its partitions begin. */
export class Beginnings {
  readonly #options: BeginningOptions;
  #current: Beginning = { sought: Promise.resolve(new Set()), isOver: true };

  constructor(options: BeginningOptions) {
    this.#options = options;
  }

  /** Looks up where partitions begin, and has them read; nothing when others are assigned before. */
  start(lookup: OffsetLookup, partitions: readonly TopicPartition[]): void {
    const { promise: sought, resolve, reject } = Promise.withResolvers<ReadonlySet<string>>();
    sought.catch(() => undefined); // what is fetched next fails by it, so that the session begins anew
    const beginning: Beginning = { sought, isOver: false };
    this.#current = beginning;
    this.#find(lookup, partitions, beginning)
      .then((starts) => {
        beginning.isOver = true;
        resolve(starts === undefined ? new Set() : this.#options.begin(starts));
      })
      .catch(reject);
  }

  /** Resolves when it is known where everything begins that is assigned by then; rejects when that cannot be found out. */
  async done(): Promise<void> {
    let beginning: Beginning | undefined;
    while (beginning !== this.#current) {
      beginning = this.#current;
      await beginning.sought;
    }
  }

  /**
   * Whether what was fetched just now is from where reading is, as soon as that is known. Rejects when that cannot be found out.
   */
  async isValid(fetched: TopicPartition): Promise<boolean> {
    const beginning = this.#current;
    const { isOver: wasOver } = beginning;
    const sought = await beginning.sought;
    if (beginning !== this.#current || this.#options.closing.aborted) return false;
    return wasOver || !sought.has(partOf(fetched));
  }

  /** `undefined` when the group has assigned anew since. */
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
