// An input that reads on one replica at a time.

import type { Input, InputContext } from "../component/component.ts";
import { scopedMetrics } from "../component/gateway-scope.ts";
import { startLate } from "../component/late-inputs.ts";
import { GatewayError } from "../errors.ts";
import { contextAt } from "../failures/place.ts";
import { Lease } from "./lease.ts";
import { type Leases, scopedLeases } from "./lease-store.ts";

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
