// State that the streams, APIs and services of one gateway share, separate from other gateways in the process.

import { MetricRegistry } from "../process/metrics.ts";

/**
 * The key of a value that each gateway has once. The module that owns the value exports the key or keeps it private.
 */
export interface Scoped<T> {
  /** Called at the first access. */
  create(): T;
  /** Called when the gateway has stopped. */
  close?(value: T): Promise<void> | undefined;
}

/** The values of one gateway, closed after everything else in it. Each value is created at the first access. */
export class GatewayScope {
  readonly #values = new Map<Scoped<unknown>, unknown>();
  readonly #closings: (() => Promise<void> | undefined)[] = [];

  /** Returns the gateway's value for a key; creates it at the first access. */
  get<T>(key: Scoped<T>): T {
    if (!this.#values.has(key)) {
      const value = key.create();
      this.#values.set(key, value);
      this.#closings.push(() => key.close?.(value));
    }
    return this.#values.get(key) as T; // `create` of the same key returned this value
  }

  /** Closes the values, the newest first. */
  async close(): Promise<void> {
    for (const close of this.#closings.splice(0).reverse()) await close();
  }
}

/** The place where the gateway stores leases, as the emitted definition configures it. */
export interface LeaseSetting {
  /** Registers the lease store for the inputs of a gateway; opens no connection. */
  offer(gateway: GatewayScope): void;
}

/** The metrics that documents and services record. */
export const scopedMetrics: Scoped<MetricRegistry> = { create: () => new MetricRegistry() };
