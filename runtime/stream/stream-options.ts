// What a stream is, and what it is given from around it.

import type { StreamParts } from "../component/component.ts";
import type { GatewayScope } from "../component/gateway-scope.ts";
import type { BackoffOptions } from "../concurrency/backoff.ts";
import type { Logger } from "../process/log.ts";
import type { GatewayObserver, Tap } from "./observer.ts";
import type { DeliveryCounters } from "./stream-state.ts";

/** Makes unstarted parts; each start of an input or output gets its own. `again` makes those that share. */
export type CreateParts = (again?: () => StreamParts) => StreamParts;

/** What to run. */
export interface StreamSpec {
  readonly api: string;
  readonly stream: string;
  /** Whose it is, where gateways serve several organisations. */
  readonly organisation?: string | undefined;
  readonly create: CreateParts;
}

/** What streams of a gateway share, and what one goes on with. */
export interface StreamOptions {
  readonly log: Logger;
  /** Pauses between attempts to connect. */
  readonly backoff: BackoffOptions;
  /** Milliseconds an input stays connected after the last client left. */
  readonly demandGrace: number;
  /** Aborted when the gateway begins to end: clients go elsewhere, so that no grace is given any more. */
  readonly departing?: AbortSignal;
  /** What the streams of the gateway share. */
  readonly gateway?: GatewayScope;
  /** As that of the `StreamSpec`. */
  readonly organisation?: string | undefined;
  readonly observer?: GatewayObserver;
  /** What it goes on counting with, where it ran before; from nothing by default. */
  readonly counters?: DeliveryCounters;
  /** Lets its messages be sampled. */
  readonly tap?: Tap;
}
