// When an address is called again.

import type { HttpClientInputOptions, httpClientInputDefaults } from "./generated/input-options.ts";

/** Options with defaults filled in. */
export type InputSettings = HttpClientInputOptions &
  Required<Pick<HttpClientInputOptions, keyof typeof httpClientInputDefaults>>;

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
