// When an address is called again, and what the log says of calls that fail.

import { MappingError } from "../../errors.ts";
import type { LogFields, Logger } from "../../process/log.ts";
import type { InputSettings } from "./input.ts";

/** The milliseconds until the next call. One that failed is not repeated at once, even where calls follow each other. */
export function restOfInterval(
  { rate_limit = 0, retry_period }: Pick<InputSettings, "rate_limit" | "retry_period">,
  startedAt: number,
  failed: boolean,
): number {
  const period = typeof rate_limit === "number" ? rate_limit : 0;
  const interval = failed ? Math.max(period, retry_period) : period;
  return Math.max(0, interval - (performance.now() - startedAt));
}

/** Tells the first failure in a row and the success after it. */
export interface Failures {
  failed(error: unknown): void;
  succeeded(): void;
}

/** `what` begins both lines: `polling`. */
export function createFailures(what: string, log: Logger): Failures {
  let failing = false;
  return {
    failed(error) {
      if (!failing) log.warn(`${what} fails, trying on`, reasonOf(error));
      failing = true;
    },
    succeeded() {
      if (failing) log.info(`${what} succeeds again`);
      failing = false;
    },
  };
}

/** The text of a mapping's failure quotes the message, so it stays out of the log. */
function reasonOf(error: unknown): LogFields {
  if (error instanceof MappingError) return { reason: "a field could not be computed" };
  return { reason: error instanceof Error ? error.message : String(error) };
}
