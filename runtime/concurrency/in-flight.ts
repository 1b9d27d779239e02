// Tracks the work in flight, when all of it has ended, and which deliveries wait for more messages.

import { TransientSet } from "./transient.ts";

/** Counts work that begins and ends. */
export class InFlight {
  #count = 0;
  #emptied: PromiseWithResolvers<void> | undefined;

  /** The number of begun pieces of work that have not ended. */
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

  /** Resolves when nothing is in flight, immediately if that is so now. */
  empty(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    this.#emptied ??= Promise.withResolvers();
    return this.#emptied.promise;
  }
}

/** A component that holds deliveries until more messages arrive. */
export interface Collector {
  /** The number of deliveries that it holds now. */
  readonly held: number;
  /** Delivers what it holds, although more could follow. Absent if time alone decides that. */
  complete?(): void;
}

/**
 * The collectors behind an input. The deliveries that they hold are confirmed only when more messages have arrived,
 * so that an input that waits for confirmations does not count them as in flight.
 */
export class Collectors {
  // Created with their first element: every stream has collectors, and most of them stay empty.
  #members: Set<Collector> | undefined;
  #listeners: Set<() => void> | undefined;
  readonly #underWay = new TransientSet<Promise<unknown>>();
  #resting: Promise<unknown> | undefined;

  /** Whether no component collects. */
  get isEmpty(): boolean {
    return (this.#members?.size ?? 0) === 0;
  }

  /** The number of held deliveries; a delivery that several collectors hold counts for each of them. */
  get held(): number {
    let held = 0;
    for (const member of this.#members ?? []) held += member.held;
    return held;
  }

  /**
   * Adds a collector until the returned function is called. The collector calls `changed`; changes of the collectors
   * `behind` it may change the number that it holds, so they count as changes, too.
   */
  join(member: Collector, behind?: Collectors): () => void {
    this.#members ??= new Set();
    this.#members.add(member);
    const unfollow = behind?.onChange(() => this.changed());
    return () => {
      unfollow?.();
      this.#members?.delete(member);
      this.changed();
    };
  }

  /** Delivers what the collectors hold. */
  complete(): void {
    for (const member of this.#members ?? []) member.complete?.();
  }

  /**
   * The same for an input whose source sends nothing beyond `limit` deliveries until one of them is confirmed: if all are
   * held, none ever would be.
   */
  completeIfHeld(inFlight: number, limit: number): void {
    if (inFlight >= limit && this.held >= inFlight) this.complete();
  }

  /** Reports that a delivery is held that was not held before, or is no longer held. */
  changed(): void {
    for (const listener of this.#listeners ?? []) listener();
  }

  /** Calls `listener` at each change; returns a function that removes it. */
  onChange(listener: () => void): () => void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => void this.#listeners?.delete(listener);
  }

  /** Counts a delivery until it has ended. */
  follow<T>(delivery: Promise<T>): Promise<T> {
    const followed = delivery.finally(() => {
      this.#underWay.delete(followed);
      this.changed();
    });
    this.#underWay.add(followed);
    return followed;
  }

  /**
   * Begins a delivery of an input that continues to read when this resolves: when the delivery has ended or is held,
   * and all other deliveries in flight are held. Resolves with its outcome, or with `early` if there is none yet.
   */
  next<T>(begin: () => Promise<T>, early: T): Promise<T> {
    return new Promise((resolve) => {
      let delivery: Promise<T> | undefined;
      let isHeld = false; // a listener may be called before `begin` returns
      const look = () => {
        isHeld = true;
        if (delivery === undefined || this.#underWay.size > this.held) return;
        stop();
        resolve(this.#underWay.has(delivery) ? early : delivery);
      };
      const stop = this.onChange(look);
      delivery = this.follow(begin());
      delivery.catch(() => undefined); // the caller gets the failure, unless the input has already read on
      if (isHeld) look();
    });
  }

  /**
   * Shares one pause: deliveries that were collected together fail together, and are repeated together after one
   * pause.
   */
  rest(begin: () => Promise<unknown>): Promise<unknown> {
    this.#resting ??= begin().finally(() => {
      this.#resting = undefined;
    });
    return this.#resting;
  }

  /** Resolves when all deliveries so far have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay.values());
  }
}
