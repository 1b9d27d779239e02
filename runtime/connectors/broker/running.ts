import type { Logger } from "../../process/log.ts";

/** What a pattern needs to know of the broker that runs it. */
export interface Running {
  readonly log: Logger;
  /** Aborted when the broker closes, or its stream ends. */
  readonly signal: AbortSignal;
}
