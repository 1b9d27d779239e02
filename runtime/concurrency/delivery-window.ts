// Limits the messages that a source pushes into the pipeline without waiting.

import { Fifo } from "./fifo.ts";
import type { Collectors } from "./in-flight.ts";
import { afterwards } from "./rounds.ts";
import { takeOut } from "./transient.ts";

/** The limits of a window, and how it delivers items. */
export interface WindowOptions<T> {
  /** The number of deliveries in flight at a time. */
  readonly limit: number;
  /** The collectors behind the input. Deliveries that they hold do not count against `limit`. */
  readonly collectors?: Collectors | undefined;
  /**
   * Whether the source itself sends no more than `limit` items before some are settled. Those that collectors hold then
   * count, and are delivered when all are held.
   */
  readonly isSourceLimited?: boolean;
  /** The number of further items that are held; beyond it, items that may be dropped are dropped. */
  readonly held: number;
  /** The largest total size of the items that are held or in flight; a single item may be larger. */
  readonly bytes: number;
  /** The total size from which a source that can wait does so; by default `bytes`. */
  readonly ahead?: number;
  /** Returns the size of an item. */
  sizeOf(item: T): number;
  /**
   * Delivers the items that arrived in one turn of the event loop, and those that followed one which was settled. Calls
   * `settle` once for each of them, possibly before it returns; must not throw. An item that is settled no longer counts,
   * and is removed from `items` so that it is not kept until all others are settled.
   */
  deliver(items: readonly T[], settle: (index: number) => void): void;
  /** Called with `undefined` at the first drop, and with the number of drops when there is room again. */
  onDropped(count: number | undefined): void;
}

/** Returns a function that delivers each item alone. `deliver` must not reject. */
export function singly<T>(deliver: (item: T) => Promise<void>): WindowOptions<T>["deliver"] {
  return (items, settle) => {
    for (const [index, item] of items.entries()) void deliver(item).then(() => settle(index));
  };
}

/** Delivers items in the order of their arrival, a limited number at a time. */
export class DeliveryWindow<T> {
  readonly #options: WindowOptions<T>;
  readonly #held = new Fifo<T>();
  /** Items in flight whose delivery has not begun. */
  #next: T[] = [];
  readonly #begin = afterwards(() => this.#deliver());
  #inFlight = 0;
  #bytes = 0;
  #dropped = 0;
  #idle: (() => void)[] = [];
  /** The callers of `room` that wait. */
  #waiting: (() => void)[] = [];
  #unfollow: (() => void) | undefined;

  constructor(options: WindowOptions<T>) {
    this.#options = options;
  }

  /** Takes the next item. If the source limits its pushes itself, `mayDrop` is false. */
  take(item: T, mayDrop: boolean): void {
    if (mayDrop && this.#isFull(item)) {
      this.#dropped += 1;
      if (this.#dropped === 1) this.#options.onDropped(undefined);
      return;
    }
    this.#bytes += this.#options.sizeOf(item);
    if (this.#fits) this.#enter(item);
    else {
      this.#held.push(item);
      this.#follow();
    }
  }

  /** Whether a source that can wait may continue. */
  get hasRoom(): boolean {
    const { bytes, ahead = bytes } = this.#options;
    return this.#bytes < ahead && !this.#isCrowded;
  }

  /** Resolves when a source that can wait may continue, possibly immediately. */
  async room(): Promise<void> {
    if (this.hasRoom) return;
    this.#follow();
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Resolves when nothing is in flight and nothing is held. */
  async idle(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #enter(item: T): void {
    this.#inFlight += 1;
    this.#next.push(item);
    this.#begin();
    const { limit, collectors, isSourceLimited } = this.#options;
    if (isSourceLimited === true && this.#inFlight >= limit && collectors?.isEmpty === false)
      this.#unfollow ??= collectors.onChange(() => collectors.completeIfHeld(this.#inFlight, limit));
  }

  #deliver(): void {
    const items = this.#next;
    const kept: (T | undefined)[] = items;
    this.#next = [];
    this.#options.deliver(items, (index) => this.#settle(takeOut(kept, index)));
  }

  #settle(item: T | undefined): void {
    if (item === undefined) return; // it is settled
    this.#bytes -= this.#options.sizeOf(item);
    this.#inFlight -= 1;
    if (this.#held.length === 0) this.#reportDropped();
    this.#admit();
    if (this.#inFlight === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Looks for room whenever the collectors hold more, until nothing waits. */
  #follow(): void {
    if (this.#options.isSourceLimited === true) return;
    this.#unfollow ??= this.#options.collectors?.onChange(() => this.#admit());
  }

  #admit(): void {
    while (this.#held.length > 0 && this.#fits) {
      const item = this.#held.shift();
      if (item !== undefined) this.#enter(item);
    }
    this.#notifyWaiting();
    if (this.#held.length > 0 || this.#waiting.length > 0) return;
    this.#unfollow?.();
    this.#unfollow = undefined;
  }

  get #fits(): boolean {
    const { limit, collectors, isSourceLimited } = this.#options;
    if (this.#inFlight < limit || collectors === undefined || isSourceLimited === true)
      return this.#inFlight < limit;
    return this.#inFlight < limit + collectors.held;
  }

  get #isCrowded(): boolean {
    return this.#held.length >= this.#options.held && !this.#fits;
  }

  #isFull(item: T): boolean {
    const { bytes, sizeOf } = this.#options;
    return this.#isCrowded || (this.#bytes > 0 && this.#bytes + sizeOf(item) > bytes);
  }

  #notifyWaiting(): void {
    if (this.#waiting.length > 0 && this.hasRoom) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /**
   * Reports drops only when half of the space is free: a window that is always almost full would otherwise report
   * constantly.
   */
  #reportDropped(): void {
    if (this.#dropped === 0 || this.#bytes * 2 > this.#options.bytes) return;
    this.#options.onDropped(this.#dropped);
    this.#dropped = 0;
  }
}
