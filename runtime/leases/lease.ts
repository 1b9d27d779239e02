// One lease from the first attempt to acquire it to its release.

import { randomUUID } from "node:crypto";
import { createBackoff, pause } from "../concurrency/backoff.ts";
import type { BeginOutage, EndCondition } from "../conditions/conditions.ts";
import type { Logger } from "../process/log.ts";
import type { LeaseStore, Leases } from "./lease-store.ts";

/** What a lease does, and its listeners. */
export interface LeaseContext {
  readonly log: Logger;
  /** Begins to be without a store, while no lease is held. */
  readonly beginOutage?: BeginOutage | undefined;
  /** Called with `true` when the lease is held, and with `false` as soon as it is not any more. */
  onChange(isHeld: boolean): void;
}

/** Parts of the term: after the first it is renewed; after the second it is given up, so that the rest is time to stop. */
const renewAfter = 1 / 3;
const holdFor = 4 / 5;
/** Milliseconds between two attempts to acquire, so that a lease that is released is taken over within a second. */
const longestPause = 1_000;

/**
 * Acquires a lease and renews it until it is closed. It counts as held for four fifths of its term from the moment before the
 * store was asked, by the monotonic clock: it ends here before it ends there, whatever the time of day of both is.
 */
export class Lease {
  readonly #name: string;
  readonly #leases: Leases;
  readonly #context: LeaseContext;
  /** Another one for each attempt to acquire. */
  #holder = randomUUID();
  /** Whether the store may have given the lease to `#holder` in an answer that came too late, or not at all. */
  #isUncertain = false;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #store: LeaseStore | undefined;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #fence: number | undefined;
  #endOutage: EndCondition | undefined;
  /** Loses the lease in time; present while it is held. */
  #expiry: NodeJS.Timeout | undefined;

  constructor(name: string, leases: Leases, context: LeaseContext) {
    this.#name = `${leases.prefix}:${name}`;
    this.#leases = leases;
    this.#context = context;
    this.#running = this.#run();
  }

  /** Whether this process may act by it now. */
  get isHeld(): boolean {
    return performance.now() < this.#heldUntil;
  }

  /** Number of the holding, higher than that of each holder before; `undefined` while it is not held. */
  get fence(): number | undefined {
    return this.isHeld ? this.#fence : undefined;
  }

  /** Releases it, so that another one has it at once, and disconnects. To be called when nothing acts by it any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
    this.#lose();
    this.#leases.outages.ended(this);
    this.#endOutage?.();
    try {
      await this.#store?.release(this.#name, this.#holder);
    } catch (error) {
      this.#context.log.warn("lease not released, it expires", { error });
    }
    await this.#store?.close();
  }

  async #run(): Promise<void> {
    const { term } = this.#leases;
    const most = Math.min(longestPause, term * renewAfter);
    const backoff = createBackoff({ first: Math.min(200, most), longest: most });
    while (!this.#closing.signal.aborted) {
      let wait = most;
      try {
        await this.#ask();
        this.#reached();
        backoff.reset();
        if (this.isHeld) wait = term * renewAfter;
      } catch (error) {
        this.#unreachable(error);
        wait = backoff.next();
      }
      await pause(wait, this.#closing.signal);
    }
  }

  /** Renews what is held, else tries to acquire it. */
  async #ask(): Promise<void> {
    const { log } = this.#context;
    this.#store ??= await this.#leases.open({ log, term: this.#leases.term });
    const store = this.#store;
    if (this.isHeld) {
      const asked = performance.now();
      if (await store.renew(this.#name, this.#holder)) this.#hold(asked);
      else this.#lose();
      return;
    }
    // One that hears of its lease too late would take it again and again, and keep it from all others.
    if (this.#isUncertain) await store.release(this.#name, this.#holder);
    this.#holder = randomUUID();
    this.#isUncertain = true;
    const asked = performance.now();
    const fence = await store.acquire(this.#name, this.#holder);
    if (fence === undefined) this.#isUncertain = false;
    if (fence === undefined || this.#closing.signal.aborted) return;
    this.#fence = fence;
    this.#hold(asked);
    this.#isUncertain = !this.isHeld;
  }

  #hold(asked: number): void {
    const wasHeld = this.#expiry !== undefined;
    this.#heldUntil = asked + this.#leases.term * holdFor;
    clearTimeout(this.#expiry);
    this.#expiry = undefined;
    const left = this.#heldUntil - performance.now();
    // An answer that came too late is worth nothing.
    if (left <= 0) {
      if (wasHeld) this.#changed(false);
      return;
    }
    this.#expiry = setTimeout(() => this.#lose(), left);
    if (!wasHeld) this.#changed(true);
  }

  #lose(): void {
    this.#heldUntil = Number.NEGATIVE_INFINITY;
    const wasHeld = this.#expiry !== undefined;
    clearTimeout(this.#expiry);
    this.#expiry = undefined;
    if (wasHeld) this.#changed(false);
  }

  #changed(isHeld: boolean): void {
    const { log, onChange } = this.#context;
    const fields = { lease: this.#name, fence: this.#fence };
    if (isHeld) log.info("lease acquired", fields);
    else if (this.#closing.signal.aborted) log.info("lease released", fields);
    else log.warn("lease lost", fields);
    onChange(isHeld);
  }

  #reached(): void {
    this.#leases.outages.ended(this, this.#context.log);
    this.#endOutage?.();
    this.#endOutage = undefined;
  }

  /** The stream that needs the lease does its work while it is still held. */
  #unreachable(error: unknown): void {
    if (this.isHeld) return;
    const { log, beginOutage } = this.#context;
    this.#leases.outages.failed(this, error, log);
    this.#endOutage ??= beginOutage?.("the lease store is unavailable");
  }
}
