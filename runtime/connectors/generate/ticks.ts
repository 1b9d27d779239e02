import { pause } from "../../concurrency/backoff.ts";
import { parseDuration } from "../../text/duration.ts";

/** When the next message is due. */
export interface Ticks {
  /** Waits until then, or until `end` is aborted. */
  next(end: AbortSignal): Promise<void>;
}

/**
 * Every so often: `5s` from now on, `@every 5s` for the first time after that; an empty text without a pause.
 * `undefined` for what is no such text. Times that passed while messages were held up are not made up for.
 */
export function createInterval(text: string): Ticks | undefined {
  const [, every, duration = ""] = /^(@every\s+)?(\S.*)?$/.exec(text.trim()) ?? [];
  const period = duration === "" ? 0 : parseDuration(duration);
  if (period === undefined || (duration === "" && every !== undefined)) return undefined;
  let due = every === undefined ? performance.now() : performance.now() + period;
  return {
    async next(end) {
      const begin = Math.max(due, performance.now());
      due = begin + period;
      // A timer counts from the start of the event loop's turn and may so end before its time.
      for (let wait = begin - performance.now(); wait > 0 && !end.aborted; wait = begin - performance.now()) {
        await pause(wait, end);
      }
    },
  };
}
