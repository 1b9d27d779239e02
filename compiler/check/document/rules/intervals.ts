// When `generate` makes messages: a duration, or a schedule that the library of the runtime can read.

import { Cron } from "croner";
import { parseDuration } from "../../../../schemas/duration.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import { findField, literalText } from "../../../trees/fields.ts";

/** Reports an `interval` that is neither. */
export function checkIntervals({ config }: ComponentNode, report: Report): void {
  const interval = findField(config, "interval");
  const text = literalText(interval);
  if (interval === undefined || text === undefined) return;
  const reason = whyUnreadable(text.trim());
  if (reason !== undefined) report("GW4122", interval.span, { interval: text, reason });
}

function whyUnreadable(text: string): string | undefined {
  const every = /^@every\s*((?:\S.*)?)$/.exec(text)?.[1];
  if (every !== undefined) return whyNoDuration(every);
  if (text === "" || parseDuration(text) !== undefined) return whyNoDuration(text === "" ? "0s" : text);
  const [, timezone, schedule = ""] = /^(?:(?:CRON_)?TZ=(\S+)\s+)?(.*)$/.exec(text) ?? [];
  try {
    const cron = new Cron(schedule, { paused: true, ...(timezone !== undefined && { timezone }) });
    return cron.nextRun() === null ? "it never occurs" : undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

function whyNoDuration(text: string): string | undefined {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined) return `expected a duration, got \`${text}\``;
  return milliseconds < 0 ? "it is negative" : undefined;
}

/** The library names itself before it says what is wrong. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^\w+: /, "").replace(/\.$/, "");
}
