// Telling those who keep records that these have changed, in this process or in another one on the same store.

import type { Logger } from "../process/log.ts";
import type { ChangeTopic } from "./tables.ts";

/** Milliseconds between looks at what others have changed: what is kept is old for less than a second. */
const every = 400;

/** How often records of each topic have changed. */
export type Revisions = ReadonlyMap<string, number>;

/** Those who want to know of changes, and what they know. */
export class Changes {
  readonly #readRevisions: () => Promise<Revisions>;
  readonly #log: Pick<Logger, "info" | "warn">;
  readonly #listeners = new Map<() => void, ReadonlySet<string>>();
  /** Unknown before the first look, which counts as a change. */
  #known: Revisions | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #awaySince: number | undefined;

  /** The log says when the records cannot be read, and when they can again. */
  constructor(readRevisions: () => Promise<Revisions>, log: Pick<Logger, "info" | "warn">) {
    this.#readRevisions = readRevisions;
    this.#log = log;
  }

  /** When the first of the looks that failed began, by `performance.now`; `undefined` when the last one did not fail. */
  get awaySince(): number | undefined {
    return this.#awaySince;
  }

  /** Calls `listener` soon after each change of a topic, until the function it gives is called. It looks while there is one. */
  listen(topics: readonly ChangeTopic[], listener: () => void): () => void {
    this.#listeners.set(listener, new Set(topics));
    if (this.#timer === undefined) this.#wait();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  /** Tells of changes made here. */
  tell(topics: Iterable<string>): void {
    const changed = [...topics];
    for (const [listener, wanted] of this.#listeners) {
      if (changed.some((topic) => wanted.has(topic))) listener();
    }
  }

  /** Looks no more. */
  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wait(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#look(), every);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const timer = this.#timer;
    const begun = performance.now();
    try {
      const revisions = await this.#readRevisions();
      this.#noteReturn();
      const known = this.#known ?? new Map();
      this.#known = revisions;
      const risen = [...revisions].filter(([topic, revision]) => known.get(topic) !== revision);
      this.tell(risen.map(([topic]) => topic));
    } catch (error) {
      if (this.#awaySince === undefined && !this.#isClosed) {
        this.#awaySince = begun;
        this.#log.warn("store is away", { error });
      }
    }
    // Unless it was stopped, or begun anew, meanwhile.
    if (this.#timer === timer) this.#wait();
  }

  /** What was changed while the store was away, or before it was restored, counts as changed now. */
  #noteReturn(): void {
    if (this.#awaySince === undefined) return;
    this.#awaySince = undefined;
    this.#known = undefined;
    this.#log.info("store answers again");
  }
}
