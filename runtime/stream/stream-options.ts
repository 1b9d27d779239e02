// The definition of a stream, and what it gets from its surroundings.

import type { StreamParts } from "../component/component.ts";
import type { GatewayScope } from "../component/gateway-scope.ts";
import type { BackoffOptions } from "../concurrency/backoff.ts";
import type { Logger } from "../process/log.ts";
import type { GatewayObserver, Tap } from "./observer.ts";
import type { DeliveryCounters } from "./stream-state.ts";

/** Creates unstarted parts; each start of an input or output uses new ones. `again` creates more that share resources. */
export type CreateParts = (again?: () => StreamParts) => StreamParts;

/** A stream to run. */
export interface StreamSpec {
  readonly api: string;
  readonly stream: string;
  /** The organisation that owns the stream, if the gateway serves several. */
  readonly organisation?: string | undefined;
  readonly create: CreateParts;
}

/** What the streams of a gateway share, and what one stream continues with. */
export interface StreamOptions {
  readonly log: Logger;
  /** Pauses between attempts to connect. */
  readonly backoff: BackoffOptions;
  /** Milliseconds that an input stays connected after the last client has left. */
  readonly demandGrace: number;
  /** Aborted when the gateway begins to shut down: clients go elsewhere, so there is no grace any longer. */
  readonly departing?: AbortSignal;
  /** What the streams of the gateway share. */
  readonly gateway?: GatewayScope;
  /** As in `StreamSpec`. */
  readonly organisation?: string | undefined;
  readonly observer?: GatewayObserver;
  /** The counters of a stream that ran before; new ones by default. */
  readonly counters?: DeliveryCounters;
  /** Samples messages of the stream. */
  readonly tap?: Tap;
}
