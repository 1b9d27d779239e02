// An input that runs on one replica at a time.

import { randomUUID } from "node:crypto";
import type { Input, InputContext } from "../component/component.ts";
import { scopedMetrics } from "../component/gateway-scope.ts";
import { startLate } from "../component/late-inputs.ts";
import { abort } from "../concurrency/abort.ts";
import { createBackoff, pause } from "../concurrency/backoff.ts";
import type { BeginOutage, EndCondition } from "../conditions/conditions.ts";
import { GatewayError } from "../errors.ts";
import { contextAt, startAt } from "../failures/place.ts";
import type { Logger } from "../process/log.ts";
import { type LeaseStore, type Leases, scopedLeases } from "./lease-store.ts";

/**
 * Returns the input that `create` makes. It starts when this replica acquires the lease `name` (`api/stream`), and
 * closes when the replica loses it. Messages that were read but not delivered by then are refused. Without leases it
 * starts immediately.
 */
export function leasedInput(name: string, create: () => Input): Input {
  const first = create();
  let reading: LeasedReading | undefined;
  let direct = false;
  const current = () => (direct ? first : reading?.input);
  return {
    ...(first.prepare && { prepare: (context) => first.prepare?.(context) ?? Promise.resolve() }),
    ...(first.sequenceOf && { sequenceOf: (message) => current()?.sequenceOf?.(message) }),
    lag: () => current()?.lag?.(),
    standby: () => reading?.standby,
    async start(context) {
      const { leases } = context.gateway?.get(scopedLeases) ?? {};
      direct = leases === undefined;
      if (leases === undefined) await startAt(first, context);
      else reading = new LeasedReading(name, create, leases, context);
    },
    close: () => reading?.close() ?? first.close(),
  };
}

/** The input from its start to its end. */
class LeasedReading {
  readonly #create: () => Input;
  readonly #context: InputContext;
  readonly #lease: Lease;
  readonly #name: string;
  readonly #closing = new AbortController();
  readonly #driven: Promise<void>;
  /** Aborted when the lease is lost; created for each period of holding it. */
  #holding: AbortController | undefined;
  #wake: () => void = () => undefined;
  #input: Input | undefined;

  constructor(name: string, create: () => Input, leases: Leases, context: InputContext) {
    this.#create = create;
    this.#context = context;
    this.#name = name;
    this.#gauge(0);
    this.#lease = new Lease(name, leases, {
      log: context.log,
      beginOutage: context.beginOutage,
      onChange: (isHeld) => {
        this.#gauge(isHeld ? 1 : 0);
        if (isHeld) this.#holding = new AbortController();
        else if (this.#holding !== undefined) abort(this.#holding);
        this.#wake();
      },
    });
    this.#driven = this.#drive();
  }

  /** The input that currently reads. */
  get input(): Input | undefined {
    return this.#input;
  }

  /** Why it does not read; `undefined` while it does. */
  get standby(): string | undefined {
    return this.#lease.isHeld ? undefined : "the lease is held by another replica";
  }

  /** Stops reading, and then lets another replica begin. */
  async close(): Promise<void> {
    abort(this.#closing);
    this.#wake();
    await this.#driven;
    await this.#lease.close();
  }

  /** Runs one period of holding after another, so that no two of its inputs read concurrently. */
  async #drive(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const holding = this.#holding;
      if (holding === undefined || holding.signal.aborted) await this.#woken();
      else await this.#readDuring(holding);
    }
  }

  async #readDuring(holding: AbortController): Promise<void> {
    const { signal } = this.#context;
    // The stream's own signal comes first: when it stops, messages in flight are finished, as without a lease.
    const stop = () => abort(holding);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    const start = (input: Input) => input.start(this.#contextOf(input, holding.signal));
    this.#input = await startLate(this.#create, start, this.#context, holding.signal);
    while (!holding.signal.aborted && !this.#closing.signal.aborted) await this.#woken();
    await this.#input?.close();
    this.#input = undefined;
    signal.removeEventListener("abort", stop);
    if (signal.aborted && !this.#closing.signal.aborted) await this.#woken();
  }

  #contextOf(input: Input, signal: AbortSignal): InputContext {
    const { reportEnd: _, ...context } = contextAt(this.#context, input);
    const { giveUp } = context;
    return {
      // An input that ends keeps its lease, so that no other replica reads the same data again.
      ...context,
      signal,
      deliver: (batch) => (this.#lease.isHeld ? context.deliver(batch) : Promise.reject(leaseLost())),
      ...(giveUp && {
        giveUp: (batch, failure) =>
          this.#lease.isHeld ? giveUp(batch, failure) : Promise.reject(leaseLost()),
      }),
    };
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #gauge(value: number): void {
    const metric = this.#context.gateway?.get(scopedMetrics).find("sluice_lease_held", "gauge", leaseHeld);
    metric?.record([["lease", this.#name]], value);
  }
}

const leaseHeld = { help: "Whether this replica holds the lease of a stream" };

function leaseLost(): GatewayError {
  return new GatewayError(503, "The lease of the stream is lost");
}

/** The context of a lease. */
interface LeaseContext {
  readonly log: Logger;
  /** Begins an outage of the store, while the lease is not held. */
  readonly beginOutage?: BeginOutage | undefined;
  /** Called with `true` when the lease is acquired, and with `false` as soon as it is lost. */
  onChange(isHeld: boolean): void;
}

/**
 * Fractions of the term: a lease is renewed after the first, and given up after the second; the rest is time to stop.
 */
const renewAfter = 1 / 3;

const holdFor = 4 / 5;

/** Milliseconds between two attempts to acquire: a released lease is taken over within a second. */
const longestPause = 1_000;

/**
 * Acquires a lease and renews it until it is closed. The lease counts as held for four fifths of its term, from
 * before the request to the store, by the monotonic clock: it ends here before it ends in the store, whatever the system
 * clocks say.
 */
export class Lease {
  readonly #name: string;
  readonly #leases: Leases;
  readonly #context: LeaseContext;
  /** The holder id, a new one for each attempt to acquire. */
  #holder = randomUUID();
  /** Whether the store may have granted the lease to `#holder` in a response that came too late, or not at all. */
  #isUncertain = false;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #store: LeaseStore | undefined;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #fence: number | undefined;
  #endOutage: EndCondition | undefined;
  /** The timer that ends the lease in time; present while it is held. */
  #expiry: NodeJS.Timeout | undefined;

  constructor(name: string, leases: Leases, context: LeaseContext) {
    this.#name = `${leases.prefix}:${name}`;
    this.#leases = leases;
    this.#context = context;
    this.#running = this.#run();
  }

  /** Whether this process may act as the holder now. */
  get isHeld(): boolean {
    return performance.now() < this.#heldUntil;
  }

  /** The fencing token, higher than that of each holder before; `undefined` while the lease is not held. */
  get fence(): number | undefined {
    return this.isHeld ? this.#fence : undefined;
  }

  /** Releases the lease, so that another holder gets it immediately, and disconnects. Call it when the work stopped. */
  async close(): Promise<void> {
    abort(this.#closing);
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

  /** Renews a lease that is held; otherwise tries to acquire it. */
  async #ask(): Promise<void> {
    const { log } = this.#context;
    this.#store ??= await this.#leases.open({ log, term: this.#leases.term });
    const store = this.#store;
    if (this.isHeld) {
      const requestedAt = performance.now();
      if (await store.renew(this.#name, this.#holder)) this.#hold(requestedAt);
      else this.#lose();
      return;
    }
    // Release a grant that was not confirmed in time: a slow replica would renew it forever and never use it.
    if (this.#isUncertain) await store.release(this.#name, this.#holder);
    this.#holder = randomUUID();
    this.#isUncertain = true;
    const requestedAt = performance.now();
    const fence = await store.acquire(this.#name, this.#holder);
    if (fence === undefined) this.#isUncertain = false;
    if (fence === undefined || this.#closing.signal.aborted) return;
    this.#fence = fence;
    this.#hold(requestedAt);
    this.#isUncertain = !this.isHeld;
  }

  #hold(requestedAt: number): void {
    const wasHeld = this.#expiry !== undefined;
    this.#heldUntil = requestedAt + this.#leases.term * holdFor;
    clearTimeout(this.#expiry);
    this.#expiry = undefined;
    const left = this.#heldUntil - performance.now();
    // A response that came too late is useless.
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

  /** Reports an outage of the store, unless the lease is still held: its stream then continues to work. */
  #unreachable(error: unknown): void {
    if (this.isHeld) return;
    const { log, beginOutage } = this.#context;
    this.#leases.outages.failed(this, error, log);
    this.#endOutage ??= beginOutage?.("the lease store is unavailable");
  }
}
