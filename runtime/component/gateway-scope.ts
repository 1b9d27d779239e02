// What the streams, APIs and services of one gateway share, and those of other gateways in the process do not.

import { MetricRegistry } from "../process/metrics.ts";

/** A kind of value that a gateway has one of. The module that owns the value exports this key, or keeps it to itself. */
export interface Scoped<T> {
  /** Called at the first access. */
  create(): T;
  /** Called when the gateway has stopped. */
  close?(value: T): Promise<void> | undefined;
}

/** Made when a gateway starts, and closed after everything else of it. A value that nothing asks for is never made. */
export class GatewayScope {
  readonly #values = new Map<Scoped<unknown>, unknown>();
  readonly #closings: (() => Promise<void> | undefined)[] = [];

  /** The gateway's value of a key. */
  get<T>(key: Scoped<T>): T {
    if (!this.#values.has(key)) {
      const value = key.create();
      this.#values.set(key, value);
      this.#closings.push(() => key.close?.(value));
    }
    return this.#values.get(key) as T; // `create` of the same key made it
  }

  /** Closes the values, the newest first. */
  async close(): Promise<void> {
    for (const close of this.#closings.splice(0).reverse()) await close();
  }
}

/** Where leases of a gateway are kept, as its emitted definition has it. */
export interface LeaseSetting {
  /** Makes them known to the inputs of a gateway; opens nothing. */
  offer(gateway: GatewayScope): void;
}

/** The metrics that documents and services record. */
export const scopedMetrics: Scoped<MetricRegistry> = { create: () => new MetricRegistry() };
