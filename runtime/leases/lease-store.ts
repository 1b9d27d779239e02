// Where leases are kept, as those who hold them see it.

import type { LeaseSetting, Scoped } from "../component/gateway-scope.ts";
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
  /** Connects; rejects with a `GatewayError` when that is not possible now. */
  open(context: LeaseStoreContext): Promise<LeaseStore>;
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
      gateway.get(scopedLeases).leases = { term: Math.max(term, shortestTerm), prefix, open };
    },
  };
}
