// The interface of upstreams: where requests go that match no stream.

import type { Logger } from "../process/log.ts";
import type { ChainStep } from "./call.ts";

/** The context in which an upstream starts. */
export interface UpstreamContext {
  readonly log: Logger;
  /** The most bytes of a request's body that are passed on. */
  readonly maxBodyBytes: number;
}

/** The upstream of one API, as created by emitted code; creating it opens nothing. */
export interface Upstream {
  /** Called once, before the gateway listens. Throws a `GatewayError` if a file that it needs is unusable. */
  start(context: UpstreamContext): RunningUpstream;
}

/** An upstream that requests are sent to. */
export interface RunningUpstream {
  /** Responds to a request, or returns an error if the upstream did not respond. */
  readonly forward: ChainStep;
  /** Closes the sockets that pass through, with the reason: they do not end on their own. Requests may still follow. */
  stop(reason: string): void;
  /** Closes its connections; no request may follow. */
  close(): void;
}
