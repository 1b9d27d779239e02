// The interface of counters of requests and connections: in this process, in the primary of several workers, or in
// Redis.

import type { GatewayScope } from "./component/gateway-scope.ts";
import type { Eventually } from "./component/resource.ts";
import type { Trouble } from "./conditions/conditions.ts";
import type { Environment } from "./process/environment.ts";
import type { Logger } from "./process/log.ts";
import type { MetricFamily } from "./process/metrics.ts";
import type { WorkerPlace } from "./process/worker-place.ts";

/** The most requests in a period: `rate` immediately, and one more each `per / rate` microseconds. */
export interface RateClaim {
  readonly kind: "rate";
  /** The name of the counter; the same key always comes with the same numbers. */
  readonly key: string;
  /** Requests in a period, more than 0. */
  readonly rate: number;
  /** Microseconds of the period, more than 0. */
  readonly per: number;
}

/** The most requests in a period; the period begins with its first request. */
export interface QuotaClaim {
  readonly kind: "quota";
  /** As `RateClaim.key`. */
  readonly key: string;
  readonly max: number;
  /** Microseconds of the period; 0: it never ends. */
  readonly renewal: number;
}

export type Claim = RateClaim | QuotaClaim;

/** What is left of a claim. */
export interface Standing {
  /** Remaining requests. */
  readonly remaining: number;
  /** Microseconds until all requests are available again; infinite for a quota that is never renewed. */
  readonly reset: number;
}

/** The result of counting a request by all of its claims. */
export interface RateVerdict {
  /** The index of the first claim that refuses, in which case nothing was counted; -1 if the request was counted. */
  readonly refusedBy: number;
  /** Microseconds until that claim would admit a request; 0 if none refuses. */
  readonly wait: number;
  /** The standings after the request, in the order of the claims. */
  readonly standings: readonly Standing[];
}

/** A limit on the connections that may be open at a time under one name. */
export interface Seat {
  readonly key: string;
  readonly max: number;
}

/** A connection that is counted until `leave` is called; further calls do nothing. */
export interface Occupancy {
  leave(): void;
}

/**
 * The counters of a gateway. Both methods reject with a `GatewayError` if counting is impossible and must not be
 * skipped.
 */
export interface Counters {
  /** Counts a request by every claim, or by none if one of them refuses. */
  take(claims: readonly Claim[]): Eventually<RateVerdict>;
  /** Takes a place at every seat; if a seat is full, takes no place and returns the seat's index. */
  enter(seats: readonly Seat[]): Eventually<Occupancy | number>;
  /** Why counts may be wrong, for operators; `undefined` if there is no problem. */
  readonly trouble?: Trouble | undefined;
  /** Returns metrics about the counters, for the exporters of the gateway. */
  metrics?(): readonly MetricFamily[];
  close?(): Promise<void>;
}

/** The context in which counters are opened. */
export interface CountersContext {
  readonly log: Logger;
  readonly gateway: GatewayScope;
  /** Aborted when the gateway closes. */
  readonly signal: AbortSignal;
  /** The place of this process among several workers. */
  readonly worker?: WorkerPlace | undefined;
}

/** Where a gateway counts, as created by emitted code; creating it opens nothing. */
export interface CounterSource {
  /**
   * Opens the counters of a serving process. An unreachable server may return later: rejects only if that is
   * pointless.
   */
  open(context: CountersContext): Promise<Counters>;
  /** Opens the counters that the primary uses for its workers. */
  openPrimary(context: CountersContext): Counters;
}

/** A request of a worker to the primary; several are sent in one message, and answered in the same order. */
export type CountRequest =
  | { readonly claims: readonly Claim[] }
  | { readonly seats: readonly Seat[] }
  /** Releases what an earlier request took; the answer is ignored. */
  | { readonly left: number };

/** The primary's answer; infinite values are sent as `null`. */
export type CountAnswer =
  | RateVerdict
  /** The id with which the worker releases its place. */
  | { readonly entered: number }
  | { readonly full: number };

/** Reads from the environment where a gateway counts. */
export type CounterSetting = (env: Environment) => CounterSource;
