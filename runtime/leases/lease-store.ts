// The interface of lease stores, and what all of them share.

import type { LeaseSetting, Scoped } from "../component/gateway-scope.ts";
import { toGatewayError } from "../errors.ts";
import { describeFailure } from "../failures/description.ts";
import type { Logger } from "../process/log.ts";

/**
 * Leases by name, each with at most one holder at a time. Only the store's clock decides when a lease expires. Every
 * method rejects with a `GatewayError` if the store does not respond; whether the store did the work is then unknown.
 */
export interface LeaseStore {
  /**
   * Resolves with the fencing token of a lease that was free, had expired, or belongs to this holder already; with
   * `undefined` if another holder has it. Each token of a name is higher than those before it.
   */
  acquire(name: string, holder: string): Promise<number | undefined>;
  /** Extends a lease by a whole term, by the store's clock; resolves with `false` if this holder has lost it. */
  renew(name: string, holder: string): Promise<boolean>;
  /** Releases a lease for the next holder; does nothing if this holder does not have it. */
  release(name: string, holder: string): Promise<void>;
  close(): Promise<void>;
}

/** The context in which a lease store is opened. */
export interface LeaseStoreContext {
  readonly log: Logger;
  /** Milliseconds. */
  readonly term: number;
}

/** The lease settings of a gateway. */
export interface Leases {
  /** Milliseconds that a lease lasts without being renewed. */
  readonly term: number;
  /** The prefix of all lease names: gateways with the same prefix share leases. */
  readonly prefix: string;
  /** The leases whose store is unreachable. */
  readonly outages: LeaseOutages;
  /** Connects; rejects with a `GatewayError` if that is not possible now. */
  open(context: LeaseStoreContext): Promise<LeaseStore>;
}

/** Milliseconds between two log lines about a store that stays unreachable. */
const interval = 60_000;

/**
 * Leases of one gateway whose store is unreachable. Logs one line for all of them, another with the number of
 * attempts each minute, and one when all leases have their store again.
 */
export class LeaseOutages {
  readonly #without = new Set<unknown>();
  #attempts = 0;
  #most = 0;
  #loggedAt = 0;

  /** Records a failed attempt of a lease that is not held. */
  failed(lease: unknown, error: unknown, log: Logger): void {
    this.#without.add(lease);
    this.#attempts += 1;
    this.#most = Math.max(this.#most, this.#without.size);
    const now = performance.now();
    if (this.#attempts > 1 && now - this.#loggedAt < interval) return;
    this.#loggedAt = now;
    const { detail } = describeFailure(toGatewayError(error, 502, "The lease store cannot be reached"));
    const counted = this.#attempts > 1 && { leases: this.#without.size, attempts: this.#attempts };
    log.warn("lease store unavailable", { reason: detail, ...counted });
  }

  /** Records that the store has responded, or, without `log`, that the lease is closed. */
  ended(lease: unknown, log?: Logger): void {
    if (!this.#without.delete(lease) || this.#without.size > 0) return;
    log?.info("lease store available again", { leases: this.#most, attempts: this.#attempts });
    this.#attempts = 0;
    this.#most = 0;
  }
}

/** The leases of a gateway, if its settings configure any. */
export const scopedLeases: Scoped<{ leases?: Leases }> = { create: () => ({}) };

/** Options of all stores. */
export interface LeaseOptions {
  readonly term?: number;
  readonly prefix?: string;
}

const defaults = { term: 15_000, prefix: "sluice" } as const;
/** The shortest term in milliseconds: a pause of garbage collection or of the network would lose a shorter one. */
const shortestTerm = 1_000;

/** Returns the setting of leases whose store `open` opens. */
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
