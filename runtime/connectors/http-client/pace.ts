// When an address is called again.

import type { InputContext } from "../../component/component.ts";
import { pause } from "../../concurrency/backoff.ts";
import type { createSourceFailures } from "../../failures/source-failures.ts";
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

/** What reads replies that are messages as they come. */
export interface ReplyReading {
  readonly settings: InputSettings;
  readonly failures: ReturnType<typeof createSourceFailures>;
  readonly context: InputContext;
  readonly stop: AbortSignal;
  /** Reads one reply to its end; gives `over` where the server has no more. */
  readOne(): Promise<"over" | undefined>;
  /** The shortest pause in milliseconds, where the server asks for one. */
  leastPause?(): number;
}

/** Reads reply after reply until `stop` is aborted, or the input has ended: with the first one where `reconnect` is off. */
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
    // A server that ends every reply at once would be called without a pause.
    await pause(Math.max(reading.leastPause?.() ?? 0, restOfInterval(settings, startedAt, true)), stop);
  }
  if (!stop.aborted) context.reportEnd?.();
}
