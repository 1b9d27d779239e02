// Where requests go that no stream takes, as the gateway sees it.

import type { Logger } from "../process/log.ts";
import type { ChainStep } from "./call.ts";

/** What an upstream is given when the gateway starts. */
export interface UpstreamContext {
  readonly log: Logger;
  /** Most bytes of a request's body that are passed on. */
  readonly maxBodyBytes: number;
}

/** The upstream of one API, as emitted code names it; making one opens nothing. */
export interface Upstream {
  /** Called once, before the gateway listens. Throws a `GatewayError` where a file it needs is of no use. */
  start(context: UpstreamContext): RunningUpstream;
}

/** An upstream that requests are sent to. */
export interface RunningUpstream {
  /** Answers a request, or says why the upstream did not. */
  readonly forward: ChainStep;
  /** Closes the sockets that pass through, as they would not end by themselves, and says why; requests may still come. */
  stop(reason: string): void;
  /** Ends its connections; no request comes any more. */
  close(): void;
}
