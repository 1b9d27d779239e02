// Rules about schedules, polls and pings.

import { Cron } from "croner";
import { parseDuration } from "../../../../schemas/duration.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { findKey } from "../../../model/components.ts";
import { enabledOf, optionsNamed } from "../../../model/options.ts";
import type { ComponentNode } from "../../../trees/api.ts";

const intervalOptions = optionsNamed(["interval"]);

/** Reports an `interval` that is neither a duration nor a schedule. */
export function checkIntervals(component: ComponentNode, report: Report): void {
  const interval = intervalOptions(component)?.interval;
  const text = interval?.text;
  if (interval?.value === undefined || text === undefined) return;
  const reason = whyUnreadable(text.trim());
  if (reason !== undefined) report("GW4122", interval.value.span, { interval: text, reason });
}

function whyUnreadable(text: string): string | undefined {
  const every = /^@every\s*((?:\S.*)?)$/.exec(text)?.[1];
  if (every !== undefined) return whyNoDuration(every);
  if (text === "" || parseDuration(text) !== undefined) return whyNoDuration(text === "" ? "0s" : text);
  const [, timezone, schedule = ""] = /^(?:(?:CRON_)?TZ=(\S+)\s+)?(.*)$/.exec(text) ?? [];
  if (timezone !== undefined && !isTimezone(timezone)) return `\`${timezone}\` is no time zone`;
  try {
    const cron = new Cron(schedule, { paused: true, ...(timezone !== undefined && { timezone }) });
    return cron.nextRun() === null ? "it never occurs" : undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
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

const pollOptions = optionsNamed(["stream", "rate_limit"]);

/** Reports an `http_client` input that sends the next request as soon as it has a response. */
export function checkPolls(component: ComponentNode, report: Report): void {
  const { stream, rate_limit: limit } = pollOptions(component) ?? {};
  if (stream === undefined || limit === undefined) return;
  // A streaming response is not a poll, and the next request is sent no sooner than `retry_period` after its end.
  if (enabledOf(stream)?.value?.kind === "Literal") return;
  const pause = limit.value;
  if (pause?.kind === "Duration" && pause.milliseconds === 0) report("GW4063", pause.span, {});
  if (findKey(component, limit.name) === undefined) report("GW4063", component.nameSpan, {});
}

/** Reports a rate limit whose intervals end as soon as they begin. */
export function checkRateLimit(component: ComponentNode, report: Report): void {
  const { role, name } = component;
  const interval = role === "rate_limit" ? intervalOptions(component)?.interval.value : undefined;
  if (interval?.kind !== "Duration" || interval.milliseconds > 0) return;
  report("GW4413", interval.span, {
    component: name,
    message: "An `interval` of 0 limits nothing.",
    hint: "Write the time in which `count` messages are allowed, such as `1s`.",
  });
}

const pingOptions = optionsNamed(["ping_period"], ["pong_wait"]);

/** Reports a `ping_period` that leaves no pause or is not shorter than `pong_wait`, at the one that is written. */
export function checkPings(component: ComponentNode, report: Report): void {
  const { ping_period: pinged, pong_wait: awaited } = pingOptions(component) ?? {};
  const [ping, pong] = [pinged?.milliseconds, awaited?.milliseconds];
  const span = pinged?.value?.span;
  if (span !== undefined && ping !== undefined && ping < 1) {
    report("GW4073", span, {});
    return;
  }
  // Without `pong_wait` the socket waits for each pong; proxies in between close connections that are idle for a
  // minute.
  if (span !== undefined && pong === undefined && ping !== undefined && ping > 60_000)
    report("GW4077", span, { ping: `${ping / 1000}s` });
  const place = span ?? awaited?.value?.span;
  if (place === undefined || ping === undefined || pong === undefined || ping < pong) return;
  report("GW4042", place, { ping: `${ping / 1000}s`, pong: `${pong / 1000}s` });
}
