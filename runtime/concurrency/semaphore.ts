// Limits the work that runs concurrently, and decides which caller is next.

import { Fifo } from "./fifo.ts";
import type { Collectors } from "./in-flight.ts";
import { attempt } from "./promises.ts";

/**
 * Waiting items by owner. Owners take turns. If the queue is full, the owner with the most items loses one in favour
 * of an owner with fewer, so that an owner who adds many items delays only itself.
 */
export class FairQueue<T> {
  readonly #most: number;
  /** The owners in the order of their turns; none has an empty list. */
  readonly #owners = new Map<string, T[]>();
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Adds an item; returns the item that there is no room for, if any. */
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

  /** Removes and returns the first item of the owner whose turn it is. */
  next(): T | undefined {
    const [first] = this.#owners;
    if (first === undefined) return undefined;
    const [owner, items] = first;
    const item = items.shift();
    this.#size -= 1;
    this.#owners.delete(owner);
    if (items.length > 0) this.#owners.set(owner, items); // after all other owners
    return item;
  }
}

/**
 * A counting semaphore whose owners take turns, with a limit on the number of waiting callers. Known callers wait in
 * a separate queue, and every second turn belongs to them.
 */
export class FairSemaphore {
  readonly #limit: number;
  #taken = 0;
  readonly #known: FairQueue<(isAdmitted: boolean) => void>;
  readonly #others: FairQueue<(isAdmitted: boolean) => void>;
  #isTurnOfKnown = true;

  /** `mostWaiting`: the limit for known callers, and the same again for others. */
  constructor(limit: number, mostWaiting: number) {
    this.#limit = limit;
    this.#known = new FairQueue(mostWaiting);
    this.#others = new FairQueue(mostWaiting);
  }

  /**
   * Runs `work` in the turn of its owner; resolves with `undefined` if too many wait. Rejects with an error that
   * `work` throws.
   */
  async use<T>(owner: string, work: () => Promise<T>, isKnown = false): Promise<T | undefined> {
    if (this.#taken < this.#limit) this.#taken += 1;
    else if (!(await this.#admitted(owner, isKnown ? this.#known : this.#others))) return undefined;
    return attempt(work).finally(() => this.#release());
  }

  /** Resolves with whether the caller was admitted; an admitted caller is already counted. */
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
 * A counting semaphore with weights. Callers are admitted in the order of their calls: a light caller never overtakes
 * a heavy one that waits. A weight above the limit is admitted alone. Deliveries that `collectors` hold do not count
 * against the limit.
 */
export class Semaphore {
  #limit: number;
  #taken = 0;
  readonly #waiting = new Fifo<Waiter>();
  readonly #idle: (() => void)[] = [];
  readonly #collectors: Collectors | undefined;
  #unfollow: (() => void) | undefined;
  #isAdmitting = false;

  constructor(limit: number, collectors?: Collectors) {
    this.#limit = limit;
    this.#collectors = collectors;
  }

  /** The number of waiting callers. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** The weight that may be held at a time. Holders keep their weight when the limit decreases. */
  set limit(limit: number) {
    this.#limit = limit;
    this.#admitWaiting();
  }

  /**
   * Acquires the weight and returns `undefined` if it fits; otherwise returns a promise that resolves when it is
   * acquired.
   */
  acquire(weight = 1): Promise<void> | undefined {
    if (this.fits(weight)) {
      this.#taken += weight;
      return undefined;
    }
    return new Promise((admit) => this.#wait({ weight, admit }));
  }

  /**
   * Acquires the weight and calls `work`: immediately if the weight fits, otherwise during the call of `release` that
   * admits it. Calls are therefore in the order of `enter`, which promises would not keep. `work` must not throw.
   */
  enter(work: () => void, weight = 1): void {
    if (this.fits(weight)) {
      this.#taken += weight;
      work();
    } else this.#wait({ weight, admit: work });
  }

  /** Whether the weight could be acquired immediately. */
  fits(weight: number): boolean {
    return this.#waiting.length === 0 && this.#fits(weight);
  }

  /** Releases the weight that one call of `acquire` acquired. */
  release(weight = 1): void {
    this.#taken -= weight;
    if (this.#waiting.length > 0) this.#admitWaiting();
    else if (this.#taken === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /**
   * Runs `work` while holding a weight until it settles; starts it as `enter` does, and in order with its calls.
   * Rejects with an error that `work` throws.
   */
  use<T>(work: () => Promise<T>, weight = 1): Promise<T> {
    if (this.fits(weight)) {
      this.#taken += weight;
      return this.#hold(work, weight);
    }
    return new Promise((resolve) => this.#wait({ weight, admit: () => resolve(this.#hold(work, weight)) }));
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

  #wait(waiter: Waiter): void {
    this.#unfollow ??= this.#collectors?.onChange(() => this.#admitWaiting());
    this.#waiting.push(waiter);
  }

  #fits(weight: number): boolean {
    return this.#taken === 0 || this.#taken + weight <= this.#limit + (this.#collectors?.held ?? 0);
  }

  #admitWaiting(): void {
    if (this.#isAdmitting) return; // a waiter that ends at once must not admit the next ones ever deeper
    this.#isAdmitting = true;
    for (
      let next = this.#waiting.at(0);
      next !== undefined && this.#fits(next.weight);
      next = this.#waiting.at(0)
    ) {
      this.#waiting.shift();
      this.#taken += next.weight; // before the waiter runs, so that a later caller cannot be admitted first
      next.admit();
    }
    this.#isAdmitting = false;
    if (this.#waiting.length > 0) return;
    this.#unfollow?.();
    this.#unfollow = undefined;
  }
}
