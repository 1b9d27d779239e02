import { Cron } from "croner";
import type { Input } from "../../component/component.ts";
import { pause } from "../../concurrency/backoff.ts";
import { EnvironmentError } from "../../process/environment.ts";
import { createInterval, generate, type Ticks } from "./generate.ts";
import { type GenerateInputOptions, generateInputDefaults } from "./generated/input-options.ts";

/** Longest timer in milliseconds. Node fires longer ones immediately. */
const longestTimer = 2 ** 31 - 1;

/** Makes messages at the times of a schedule: `0 30 3 * * *`, `TZ=Europe/London 30 3 * * *`, `@daily`. */
export function scheduledGenerateInput(options: GenerateInputOptions): Input {
  const { interval = generateInputDefaults.interval } = options;
  return generate(options, createInterval(interval) ?? createSchedule(interval));
}

function createSchedule(text: string): Ticks {
  const [, timezone, schedule = ""] = /^(?:(?:CRON_)?TZ=(\S+)\s+)?(\S.*)?$/.exec(text.trim()) ?? [];
  const cron = parse(text, schedule, timezone);
  return {
    async next(end) {
      const due = cron.nextRun()?.getTime() ?? Number.POSITIVE_INFINITY;
      for (let wait = due - Date.now(); wait > 0 && !end.aborted; wait = due - Date.now()) {
        await pause(Math.min(wait, longestTimer), end);
      }
    },
  };
}

function parse(text: string, schedule: string, timezone: string | undefined): Cron {
  try {
    return new Cron(schedule, { paused: true, ...(timezone !== undefined && { timezone }) });
  } catch (error) {
    throw new EnvironmentError([`\`${text}\` is neither an interval nor a schedule: ${String(error)}`]);
  }
}
