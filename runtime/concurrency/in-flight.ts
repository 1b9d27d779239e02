// How much is under way, when nothing is any more, and what of it waits for more to come.

/** Counts what begins and ends. */
export class InFlight {
  #count = 0;
  #emptied: PromiseWithResolvers<void> | undefined;

  /** What has begun and not ended. */
  get count(): number {
    return this.#count;
  }

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count > 0 || this.#emptied === undefined) return;
    this.#emptied.resolve();
    this.#emptied = undefined;
  }

  /** Resolves when nothing is under way: at once where that is so now. */
  empty(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    this.#emptied ??= Promise.withResolvers();
    return this.#emptied.promise;
  }
}

/** What holds deliveries until more come. */
export interface Collector {
  /** How many it holds now. */
  readonly held: number;
}

/**
 * The collectors behind an input. What they hold is confirmed only once more has come, so that an input that waits for
 * confirmations does not count it among what is under way.
 */
export class Collectors {
  readonly #members = new Set<Collector>();
  readonly #listeners = new Set<() => void>();
  readonly #underWay = new Set<Promise<unknown>>();
  #resting: Promise<unknown> | undefined;

  /** Whether nothing collects. */
  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  /** Deliveries that are held; one that several collectors hold counts for each. */
  get held(): number {
    let held = 0;
    for (const member of this.#members) held += member.held;
    return held;
  }

  /**
   * Counts a collector in until the returned function is called. The collector says `changed`; what is held `behind` it may
   * change what it holds.
   */
  join(member: Collector, behind?: Collectors): () => void {
    this.#members.add(member);
    const unfollow = behind?.onChange(() => this.changed());
    return () => {
      unfollow?.();
      this.#members.delete(member);
      this.changed();
    };
  }

  /** Something is held that was not, or is not held any more. */
  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` at each change; gives back how to stop that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Counts a delivery in until it has ended. */
  follow<T>(delivery: Promise<T>): Promise<T> {
    const followed = delivery.finally(() => {
      this.#underWay.delete(followed);
      this.changed();
    });
    this.#underWay.add(followed);
    return followed;
  }

  /**
   * Begins a delivery of an input that reads on when this resolves: once it has ended or is held, and nothing else is under
   * way that is not held. Gives its outcome, or `early` where there is none yet.
   */
  next<T>(begin: () => Promise<T>, early: T): Promise<T> {
    return new Promise((resolve) => {
      let delivery: Promise<T> | undefined;
      let isHeld = false; // it may be so before `begin` returns
      const look = () => {
        isHeld = true;
        if (delivery === undefined || this.#underWay.size > this.held) return;
        stop();
        resolve(this.#underWay.has(delivery) ? early : delivery);
      };
      const stop = this.onChange(look);
      delivery = this.follow(begin());
      delivery.catch(() => undefined); // looked at above, unless the input has read on
      if (isHeld) look();
    });
  }

  /** What was collected together fails together; it comes again together, after one pause. */
  rest(begin: () => Promise<unknown>): Promise<unknown> {
    this.#resting ??= begin().finally(() => {
      this.#resting = undefined;
    });
    return this.#resting;
  }

  /** Resolves once all deliveries so far have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }
}
