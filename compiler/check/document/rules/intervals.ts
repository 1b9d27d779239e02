// Rules about schedules, polls and pings.

import { Cron } from "croner";
import { parseDuration } from "../../../../schemas/duration.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { findKey } from "../../../model/components.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import { findField, findNamedField, literalText, type NamedField } from "../../../trees/fields.ts";

/** Reports an `interval` that is neither a duration nor a schedule. */
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

/** Returns the reason without the error name that the library puts before it. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^\w+: /, "").replace(/\.$/, "");
}

/** Reports an `http_client` input that sends the next request as soon as it has a response. */
export function checkPolls(component: ComponentNode, report: Report): void {
  const { nameSpan, config } = component;
  // A streaming response is not a poll, and the next request is sent no sooner than `retry_period` after its end.
  if (findField(config, "stream", "enabled")?.kind === "Literal") return;
  const pause = findField(config, "rate_limit");
  if (pause?.kind === "Duration" && pause.milliseconds === 0) report("GW4063", pause.span, {});
  if (findKey(component, "rate_limit") === undefined) report("GW4063", nameSpan, {});
}

/** Reports a rate limit whose intervals end as soon as they begin. */
export function checkRateLimit({ role, name, config }: ComponentNode, report: Report): void {
  const interval = role === "rate_limit" ? findField(config, "interval") : undefined;
  if (interval?.kind !== "Duration" || interval.milliseconds > 0) return;
  report("GW4413", interval.span, {
    component: name,
    message: "An `interval` of 0 limits nothing.",
    hint: "Write the time in which `count` messages are allowed, such as `1s`.",
  });
}

/** Reports a `ping_period` that leaves no pause or is not shorter than `pong_wait`, at the one that is written. */
export function checkPings(component: ComponentNode, report: Report): void {
  const ping = durationOf(component, "ping_period");
  const pong = durationOf(component, "pong_wait");
  if (ping.field !== undefined && ping.milliseconds !== undefined && ping.milliseconds < 1) {
    report("GW4073", ping.field.value.span, {});
    return;
  }
  // Without `pong_wait` the socket waits for each pong; proxies in between close connections that are idle for a
  // minute.
  if (ping.field !== undefined && pong.milliseconds === undefined && (ping.milliseconds ?? 0) > 60_000)
    report("GW4077", ping.field.value.span, { ping: `${(ping.milliseconds ?? 0) / 1000}s` });
  const span = (ping.field ?? pong.field)?.value.span;
  if (span === undefined || ping.milliseconds === undefined || pong.milliseconds === undefined) return;
  if (ping.milliseconds < pong.milliseconds) return;
  report("GW4042", span, { ping: `${ping.milliseconds / 1000}s`, pong: `${pong.milliseconds / 1000}s` });
}

interface Duration {
  readonly field: NamedField | undefined;
  /** Absent if the value is not known yet, or if there is no such field. */
  readonly milliseconds: number | undefined;
}

function durationOf({ config, descriptor }: ComponentNode, field: string): Duration {
  const found = findNamedField(config, field);
  if (found !== undefined) {
    return {
      field: found,
      milliseconds: found.value.kind === "Duration" ? found.value.milliseconds : undefined,
    };
  }
  const fallback = descriptor?.schema.properties?.[field]?.default;
  return {
    field: undefined,
    milliseconds: typeof fallback === "string" ? parseDuration(fallback) : undefined,
  };
}
