// An input that reads on one replica at a time.

import { randomUUID } from "node:crypto";
import type { Input, InputContext } from "../component/component.ts";
import { scopedMetrics } from "../component/gateway-scope.ts";
import { startLate } from "../component/late-inputs.ts";
import { createBackoff, pause } from "../concurrency/backoff.ts";
import type { BeginOutage, EndCondition } from "../conditions/conditions.ts";
import { GatewayError } from "../errors.ts";
import { contextAt } from "../failures/place.ts";
import type { Logger } from "../process/log.ts";
import { type LeaseStore, type Leases, scopedLeases } from "./lease-store.ts";

/**
 * The input that `create` makes, started while this replica holds the lease `name` (`api/stream`), and closed when it loses
 * it. What it has read and not delivered by then is refused. In a gateway without leases it reads at once.
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
      if (leases === undefined) await first.start(contextAt(context, first));
      else reading = new LeasedReading(name, create, leases, context);
    },
    close: () => reading?.close() ?? first.close(),
  };
}

/** From the start of the input to its end. */
class LeasedReading {
  readonly #create: () => Input;
  readonly #context: InputContext;
  readonly #lease: Lease;
  readonly #name: string;
  readonly #closing = new AbortController();
  readonly #driven: Promise<void>;
  /** Aborted when the lease is lost; each holding has its own. */
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
        else this.#holding?.abort();
        this.#wake();
      },
    });
    this.#driven = this.#drive();
  }

  /** What reads now. */
  get input(): Input | undefined {
    return this.#input;
  }

  /** Why it does not read; `undefined` while it does. */
  get standby(): string | undefined {
    return this.#lease.isHeld ? undefined : "the lease is held by another replica";
  }

  /** Stops reading, and then lets another replica begin. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake();
    await this.#driven;
    await this.#lease.close();
  }

  /** One holding after another, so that no two inputs of it read at a time. */
  async #drive(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const holding = this.#holding;
      if (holding === undefined || holding.signal.aborted) await this.#woken();
      else await this.#readDuring(holding);
    }
  }

  async #readDuring(holding: AbortController): Promise<void> {
    const { signal } = this.#context;
    // The stream's own signal first: what is in flight at its stop is finished, as without a lease.
    const stop = () => holding.abort();
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
      // An input that ends keeps its lease, so that no other replica reads the same once more.
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

/** What a lease does, and its listeners. */
interface LeaseContext {
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
