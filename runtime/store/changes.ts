// Telling those who keep records that these have changed, in this process or in another one on the same store.

import type { ChangeTopic } from "./tables.ts";

/** Milliseconds between looks at what others have changed: what is kept is old for less than a second. */
const every = 400;

/** How often records of each topic have changed. */
export type Revisions = ReadonlyMap<string, number>;

/** Those who want to know of changes, and what they know. */
export class Changes {
  readonly #readRevisions: () => Promise<Revisions>;
  readonly #listeners = new Map<() => void, ReadonlySet<string>>();
  /** Unknown before the first look, which counts as a change. */
  #known: Revisions | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(readRevisions: () => Promise<Revisions>) {
    this.#readRevisions = readRevisions;
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
    try {
      const revisions = await this.#readRevisions();
      const known = this.#known ?? new Map();
      this.#known = revisions;
      const risen = [...revisions].filter(([topic, revision]) => known.get(topic) !== revision);
      this.tell(risen.map(([topic]) => topic));
    } catch {
      // A store that fails is told of by those who need a record. What they keep ends by itself meanwhile.
    }
    // Unless it was stopped, or begun anew, meanwhile.
    if (this.#timer === timer) this.#wait();
  }
}
