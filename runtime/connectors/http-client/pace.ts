// Decides when an address is called again.

import type { InputContext } from "../../component/component.ts";
import { pause } from "../../concurrency/backoff.ts";
import type { createSourceFailures } from "../../failures/source-failures.ts";
import type { HttpClientInputOptions, httpClientInputDefaults } from "./generated/input-options.ts";

/** The options with all defaults applied. */
export type InputSettings = HttpClientInputOptions &
  Required<Pick<HttpClientInputOptions, keyof typeof httpClientInputDefaults>>;

/**
 * Returns the milliseconds until the next call.
 * After a failure there is a pause, even if calls otherwise follow each other directly.
 */
export function restOfInterval(
  { rate_limit = 0, retry_period }: Pick<InputSettings, "rate_limit" | "retry_period">,
  startedAt: number,
  failed: boolean,
): number {
  const period = typeof rate_limit === "number" ? rate_limit : 0;
  const interval = failed ? Math.max(period, retry_period) : period;
  return interval === 0 ? 0 : Math.max(0, interval - (performance.now() - startedAt));
}

/** What `readReplies` needs to read streamed replies. */
export interface ReplyReading {
  readonly settings: InputSettings;
  readonly failures: ReturnType<typeof createSourceFailures>;
  readonly context: InputContext;
  readonly stop: AbortSignal;
  /** Reads one reply to its end; resolves with `over` if the server has no more. */
  readOne(): Promise<"over" | undefined>;
  /** Returns the shortest pause in milliseconds, if the server requests one. */
  leastPause?(): number;
}

/**
 * Reads reply after reply until `stop` is aborted or the input has ended; only the first reply if `reconnect` is off.
 */
export async function readReplies(reading: ReplyReading): Promise<void> {
  const { settings, failures, context, stop } = reading;
  const { reconnect = true } = settings.stream;
  while (!stop.aborted) {
    const startedAt = performance.now();
    try {
      if ((await reading.readOne()) === "over" || !reconnect) break;
    } catch (error) {
      if (stop.aborted) return;
      failures.failed(error);
    }
    // Without a pause, a server that ends every reply immediately would be called continuously.
    await pause(Math.max(reading.leastPause?.() ?? 0, restOfInterval(settings, startedAt, true)), stop);
  }
  if (!stop.aborted) context.reportEnd?.();
}
