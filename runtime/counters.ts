// What requests are counted by, wherever it is counted: in this process, by the primary of several workers, in Redis.

import type { GatewayScope } from "./component/gateway-scope.ts";
import type { Eventually } from "./component/resource.ts";
import type { Trouble } from "./conditions/conditions.ts";
import type { Environment } from "./process/environment.ts";
import type { Logger } from "./process/log.ts";
import type { MetricFamily } from "./process/metrics.ts";
import type { WorkerPlace } from "./process/worker-place.ts";

/** Most requests in a time: `rate` at once, and one more whenever its share of the period is over. */
export interface RateClaim {
  readonly kind: "rate";
  /** Names the counter; the same key comes with the same numbers. */
  readonly key: string;
  /** Requests in a period, more than 0. */
  readonly rate: number;
  /** Microseconds of the period, more than 0. */
  readonly per: number;
}

/** Most requests until they are granted anew; the period begins with its first request. */
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
  /** Requests that would pass now. */
  readonly remaining: number;
  /** Microseconds until all of them are there again; infinite for a quota that never is renewed. */
  readonly reset: number;
}

/** What came of asking for all claims of a request at once. */
export interface RateVerdict {
  /** Position of the first claim that refuses, and nothing was counted by any; -1 where the request was counted. */
  readonly refusedBy: number;
  /** Microseconds until that claim would pass one; 0 where none refuses. */
  readonly wait: number;
  /** After the request, in the order of the claims. */
  readonly standings: readonly Standing[];
}

/** Connections that may be open at a time under one name. */
export interface Seat {
  readonly key: string;
  readonly max: number;
}

/** A connection that is counted until `leave`, which may be called more than once. */
export interface Occupancy {
  leave(): void;
}

/** The counters of a gateway. Both methods reject with a `GatewayError` where counting is not possible and not waived. */
export interface Counters {
  /** Counts a request by every claim, or by none where one of them refuses. */
  take(claims: readonly Claim[]): Eventually<RateVerdict>;
  /** Takes a place at every seat; where one has none, takes no place and gives its position. */
  enter(seats: readonly Seat[]): Eventually<Occupancy | number>;
  /** Why counts are not what they should be, for operators; `undefined` while all is well. */
  readonly trouble?: Trouble | undefined;
  /** Metrics about them, for the exporters of the gateway. */
  metrics?(): readonly MetricFamily[];
  close?(): Promise<void>;
}

/** What counters are opened with. */
export interface CountersContext {
  readonly log: Logger;
  readonly gateway: GatewayScope;
  /** Aborted when the gateway closes. */
  readonly signal: AbortSignal;
  /** What this process is among several that serve together. */
  readonly worker?: WorkerPlace | undefined;
}

/** Where a gateway counts, as emitted code names it. Making one opens nothing. */
export interface CounterSource {
  /** Of a process that serves. What is away may come later: it rejects only where that makes no sense. */
  open(context: CountersContext): Promise<Counters>;
  /** What the primary counts by for its workers. */
  openPrimary(context: CountersContext): Counters;
}

/** What a worker asks the primary in one message; the answers come in the same order. */
export type CountRequest =
  | { readonly claims: readonly Claim[] }
  | { readonly seats: readonly Seat[] }
  /** Gives back what an earlier request took; there is no answer worth reading. */
  | { readonly left: number };

/** What the primary answers; what is infinite is `null` on its way. */
export type CountAnswer =
  | RateVerdict
  /** By what the worker gives its place back. */
  | { readonly entered: number }
  | { readonly full: number };

/** Reads from the environment where a gateway counts. */
export type CounterSetting = (env: Environment) => CounterSource;
