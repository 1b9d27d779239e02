// Where leases are kept, as those who hold them see it.

import type { LeaseSetting, Scoped } from "../component/gateway-scope.ts";
import { toGatewayError } from "../errors.ts";
import { describeFailure } from "../failures/description.ts";
import type { Logger } from "../process/log.ts";

/**
 * Leases by name, each of at most one holder at a time. When a lease expires is decided by the store's clock alone. Every
 * method rejects with a `GatewayError` when the store does not answer; whether it did what was asked is then unknown.
 */
export interface LeaseStore {
  /**
   * Gives the fencing token of a lease that was free, had expired, or is this holder's already; `undefined` while another one
   * holds it. Each token of a name is higher than those before it.
   */
  acquire(name: string, holder: string): Promise<number | undefined>;
  /** Extends a lease by a whole term from now, by the store's clock; `false` where it is no longer this holder's. */
  renew(name: string, holder: string): Promise<boolean>;
  /** Frees a lease for the next one to ask; nothing happens where it is not this holder's. */
  release(name: string, holder: string): Promise<void>;
  close(): Promise<void>;
}

/** What a lease store is opened with. */
export interface LeaseStoreContext {
  readonly log: Logger;
  /** Milliseconds. */
  readonly term: number;
}

/** The leases of a gateway: where they are, and how long each lasts. */
export interface Leases {
  /** Milliseconds that a lease lasts without being renewed. */
  readonly term: number;
  /** What the names of the leases begin with: gateways of the same one share them. */
  readonly prefix: string;
  /** Those of them that are without their store. */
  readonly outages: LeaseOutages;
  /** Connects; rejects with a `GatewayError` when that is not possible now. */
  open(context: LeaseStoreContext): Promise<LeaseStore>;
}

/** Milliseconds between two lines of the log about a store that stays unavailable. */
const interval = 60_000;

/**
 * Leases of one gateway whose store does not answer: the log has a line for all of them, another one with the number of
 * attempts each minute, and one when all have their store again.
 */
export class LeaseOutages {
  readonly #without = new Set<unknown>();
  #attempts = 0;
  #most = 0;
  #toldAt = 0;

  /** An attempt of a lease that is not held has failed. */
  failed(lease: unknown, error: unknown, log: Logger): void {
    this.#without.add(lease);
    this.#attempts += 1;
    this.#most = Math.max(this.#most, this.#without.size);
    const now = performance.now();
    if (this.#attempts > 1 && now - this.#toldAt < interval) return;
    this.#toldAt = now;
    const { detail } = describeFailure(toGatewayError(error, 502, "The lease store cannot be asked"));
    const counted = this.#attempts > 1 && { leases: this.#without.size, attempts: this.#attempts };
    log.warn("lease store unavailable", { reason: detail, ...counted });
  }

  /** The store has answered a lease; without a log the lease is closed. */
  ended(lease: unknown, log?: Logger): void {
    if (!this.#without.delete(lease) || this.#without.size > 0) return;
    log?.info("lease store available again", { leases: this.#most, attempts: this.#attempts });
    this.#attempts = 0;
    this.#most = 0;
  }
}

/** The leases of a gateway, where its settings configure any. */
export const scopedLeases: Scoped<{ leases?: Leases }> = { create: () => ({}) };

/** Options that all stores have. */
export interface LeaseOptions {
  readonly term?: number;
  readonly prefix?: string;
}

const defaults = { term: 15_000, prefix: "sluice" } as const;
/** Milliseconds; what is shorter is lost by a pause of the garbage collector or of the network. */
const shortestTerm = 1_000;

/** The setting of leases that `open` opens. */
export function leaseSetting(
  { term = defaults.term, prefix = defaults.prefix }: LeaseOptions,
  open: Leases["open"],
): LeaseSetting {
  return {
    offer(gateway) {
      gateway.get(scopedLeases).leases = {
        term: Math.max(term, shortestTerm),
        prefix,
        open,
        outages: new LeaseOutages(),
      };
    },
  };
}
