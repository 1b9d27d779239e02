// Bounds how much work runs at once, and says whose is next.

import type { Collectors } from "./in-flight.ts";
import { attempt } from "./promises.ts";

/**
 * What waits, by its owner. Owners take turns, and where the queue is full, the one that has most in it makes room for one that has
 * fewer: an owner that adds much waits for itself.
 */
export class FairQueue<T> {
  readonly #most: number;
  /** In the order of their turns; none is empty. */
  readonly #owners = new Map<string, T[]>();
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Adds an item; gives the one that there is no room for. */
  add(owner: string, item: T): T | undefined {
    const own = this.#owners.get(owner) ?? [];
    let refused: T | undefined;
    if (this.#size >= this.#most) {
      const longest = [...this.#owners.values()].reduce(
        (most, each) => (each.length > most.length ? each : most),
        [],
      );
      if (longest.length <= own.length + 1) return item;
      refused = longest.pop();
      this.#size -= 1;
    }
    own.push(item);
    this.#owners.set(owner, own);
    this.#size += 1;
    return refused;
  }

  /** Takes the first item of the owner whose turn it is. */
  next(): T | undefined {
    const [first] = this.#owners;
    if (first === undefined) return undefined;
    const [owner, items] = first;
    const item = items.shift();
    this.#size -= 1;
    this.#owners.delete(owner);
    if (items.length > 0) this.#owners.set(owner, items); // behind all others
    return item;
  }
}

/**
 * A counting semaphore whose owners take turns, with a bound on those that wait. Those that are known wait apart from others, and
 * every second turn is theirs.
 */
export class FairSemaphore {
  readonly #limit: number;
  #taken = 0;
  readonly #known: FairQueue<(isAdmitted: boolean) => void>;
  readonly #others: FairQueue<(isAdmitted: boolean) => void>;
  #isTurnOfKnown = true;

  /** `mostWaiting` of those that are known, and as many others. */
  constructor(limit: number, mostWaiting: number) {
    this.#limit = limit;
    this.#known = new FairQueue(mostWaiting);
    this.#others = new FairQueue(mostWaiting);
  }

  /** Runs `work` in the turn of its owner; `undefined` where too many wait. What it throws is a rejection. */
  async use<T>(owner: string, work: () => Promise<T>, isKnown = false): Promise<T | undefined> {
    if (this.#taken < this.#limit) this.#taken += 1;
    else if (!(await this.#admitted(owner, isKnown ? this.#known : this.#others))) return undefined;
    return attempt(work).finally(() => this.#release());
  }

  /** What is admitted has been counted. */
  #admitted(owner: string, queue: FairQueue<(isAdmitted: boolean) => void>): Promise<boolean> {
    return new Promise((resolve) => queue.add(owner, resolve)?.(false));
  }

  #release(): void {
    this.#isTurnOfKnown = !this.#isTurnOfKnown;
    const [first, second] = this.#isTurnOfKnown ? [this.#known, this.#others] : [this.#others, this.#known];
    const next = first.next() ?? second.next();
    if (next === undefined) this.#taken -= 1;
    else next(true);
  }
}

interface Waiter {
  readonly weight: number;
  admit(): void;
}

/**
 * A counting semaphore with weights. Callers are admitted in the order of their calls: a light one never overtakes a
 * heavy one that waits. A weight above the limit is admitted alone. What `collectors` hold does not count against the limit.
 */
export class Semaphore {
  #limit: number;
  #taken = 0;
  readonly #waiting: Waiter[] = [];
  readonly #idle: (() => void)[] = [];
  readonly #collectors: Collectors | undefined;
  #unfollow: (() => void) | undefined;

  constructor(limit: number, collectors?: Collectors) {
    this.#limit = limit;
    this.#collectors = collectors;
  }

  /** Callers that wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** The weight that may be held at once. Holders keep what they have when the limit decreases. */
  set limit(limit: number) {
    this.#limit = limit;
    this.#admitWaiting();
  }

  /** Acquires at once and returns `undefined` where the weight fits; else resolves when it is acquired. */
  acquire(weight = 1): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#fits(weight)) {
      this.#taken += weight;
      return undefined;
    }
    this.#unfollow ??= this.#collectors?.onChange(() => this.#admitWaiting());
    return new Promise((admit) => this.#waiting.push({ weight, admit }));
  }

  /** Whether the weight could be acquired at once. */
  fits(weight: number): boolean {
    return this.#waiting.length === 0 && this.#fits(weight);
  }

  /** Releases what one call of `acquire` acquired. */
  release(weight = 1): void {
    this.#taken -= weight;
    if (this.#waiting.length > 0) this.#admitWaiting();
    if (this.#taken === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /**
   * Runs `work` with a weight held until it settles; the work starts synchronously where the weight fits. What it throws is a
   * rejection.
   */
  use<T>(work: () => Promise<T>, weight = 1): Promise<T> {
    const acquired = this.acquire(weight);
    return acquired === undefined ? this.#hold(work, weight) : acquired.then(() => this.#hold(work, weight));
  }

  /** Resolves when nothing is held and no caller waits. */
  async idle(): Promise<void> {
    if (this.#taken > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #hold<T>(work: () => Promise<T>, weight: number): Promise<T> {
    return attempt(work).then(
      (value) => {
        this.release(weight);
        return value;
      },
      (error: unknown) => {
        this.release(weight);
        throw error;
      },
    );
  }

  #fits(weight: number): boolean {
    return this.#taken === 0 || this.#taken + weight <= this.#limit + (this.#collectors?.held ?? 0);
  }

  #admitWaiting(): void {
    for (
      let next = this.#waiting[0];
      next !== undefined && this.#fits(next.weight);
      next = this.#waiting[0]
    ) {
      this.#waiting.shift();
      this.#taken += next.weight; // before the waiter runs, so that a later caller cannot come between
      next.admit();
    }
    if (this.#waiting.length > 0) return;
    this.#unfollow?.();
    this.#unfollow = undefined;
  }
}
