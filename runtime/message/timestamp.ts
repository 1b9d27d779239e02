// Converts instants to and from the calendar of a zone, and prints them as RFC 3339 text.

import { type CalendarDate, dateOf, dayNumber, weekdayOf } from "../text/calendar.ts";
import { trimmedEnd } from "../text/trim.ts";
import { Timestamp } from "./value.ts";

/** An instant as the calendar and the clock of its zone show it. */
export interface CivilTime extends CalendarDate {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanosecond: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  /** Seconds east of UTC. */
  readonly offset: number;
}

const secondsPerDay = 86_400;
/** The first and last instants of `Date` are this far from 1970, in seconds. */
const lastSecondOfDate = 8.64e12;
/** The calendar, with its weekdays, repeats itself after 400 years. */
const secondsPerCycle = 146_097 * secondsPerDay;

const formatters = /* @__PURE__ */ new Map<string, Intl.DateTimeFormat>();
const recentOffsets = /* @__PURE__ */ new Map<
  string,
  { readonly quarter: number; readonly offset: number }
>();
let local: { readonly variable: string | undefined; readonly zone: string } | undefined;
const fixedOffset = /^([+-])(\d{2}):(\d{2})(?::(\d{2}))?(?: |$)/;

/** Returns the zone of the process: the zone that `TZ` names, otherwise the zone of the machine. */
export function localZone(): string {
  const variable = process.env.TZ;
  if (local === undefined || local.variable !== variable) {
    local = { variable, zone: new Intl.DateTimeFormat().resolvedOptions().timeZone };
  }
  return local.zone;
}

/** Returns the date and time in the zone of the timestamp. */
export function civilTime(timestamp: Timestamp): CivilTime {
  const offset = zoneOffset(timestamp.zone(), Number(timestamp.seconds()));
  const shown = timestamp.seconds() + BigInt(offset);
  const second = Number(((shown % 86_400n) + 86_400n) % 86_400n);
  const day = Number((shown - BigInt(second)) / 86_400n);
  return {
    ...dateOf(day),
    hour: Math.floor(second / 3600),
    minute: Math.floor(second / 60) % 60,
    second: second % 60,
    nanosecond: timestamp.nanoseconds(),
    weekday: weekdayOf(day),
    offset,
  };
}

/** A date and time to convert. Out-of-range parts carry over, such as day 32 into the next month. */
export interface ClockSetting extends CalendarDate {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanosecond: number;
}

/**
 * Returns the instant at which clocks in `zone` show `time`. If there are two such instants, because the clocks are set
 * back, returns the first. If the clocks skip `time`, uses the offset either after or before they are set forward.
 */
export function timestampAt(time: ClockSetting, zone: string): Timestamp {
  const days = dayNumber(time.year, time.month, time.day);
  const shown = days * secondsPerDay + time.hour * 3600 + time.minute * 60 + time.second;
  const guess = zoneOffset(zone, shown);
  const offset = guess === 0 ? 0 : zoneOffset(zone, shown - guess);
  return new Timestamp(BigInt(shown - offset), time.nanosecond, zone);
}

/** Returns the offset of `zone` at `seconds` since 1970, in seconds east of UTC. */
export function zoneOffset(zone: string, seconds: number): number {
  if (zone === "UTC") return 0;
  if (fixedOffset.test(zone)) return offsetSeconds(zone);
  const instant = withinDate(seconds);
  // Since the seventies, offsets change only at quarters of an hour.
  const quarter = instant > 1e8 ? Math.floor(instant / 900) : Number.NaN;
  const recent = recentOffsets.get(zone);
  if (recent?.quarter === quarter) return recent.offset;
  const name = zoneFormatter(zone)
    .formatToParts(instant * 1000)
    .find((part) => part.type === "timeZoneName")?.value;
  const offset = name === undefined || name === "GMT" ? 0 : offsetSeconds(name.slice("GMT".length));
  recentOffsets.set(zone, { quarter, offset });
  return offset;
}

/** Returns RFC 3339 text with as many fractional digits as needed: `2020-08-14T05:54:23.5Z`. */
export function formatTimestamp(timestamp: Timestamp): string {
  const time = civilTime(timestamp);
  const fraction = time.nanosecond === 0 ? "" : `.${trimmedEnd(padded(time.nanosecond, 9), "0")}`;
  const date = `${padded(time.year, 4)}-${padded(time.month, 2)}-${padded(time.day, 2)}`;
  const clock = `${padded(time.hour, 2)}:${padded(time.minute, 2)}:${padded(time.second, 2)}`;
  return `${date}T${clock}${fraction}${time.offset === 0 ? "Z" : formatOffset(time.offset, ":")}`;
}

/** Returns milliseconds since 1970 as RFC 3339 text in UTC, in whole seconds; `undefined` if they are not finite. */
export function formatMilliseconds(milliseconds: number): string | undefined {
  // Brokers carry instants outside the range of `Date`.
  if (!Number.isFinite(milliseconds)) return undefined;
  return formatTimestamp(new Timestamp(BigInt(Math.floor(milliseconds / 1000)), 0, "UTC"));
}

/** Returns `±hh:mm`, or the same with another separator. Seconds are cut off. */
export function formatOffset(offset: number, separator: string): string {
  const minutes = Math.trunc(Math.abs(offset) / 60);
  const sign = offset < 0 && minutes > 0 ? "-" : "+";
  return `${sign}${padded(Math.trunc(minutes / 60), 2)}${separator}${padded(minutes % 60, 2)}`;
}

/** Returns `value` in decimal with at least `width` digits, not counting the sign. */
export function padded(value: number, width: number): string {
  return value < 0 ? `-${padded(-value, width)}` : String(value).padStart(width, "0");
}

/** Returns an instant of `Date` at which all zones have the offset that they have at `seconds`. */
function withinDate(seconds: number): number {
  // The rules of a zone for the far future repeat with the calendar. Before the first rule, its offset is always the same.
  const cycles = Math.max(0, Math.ceil((seconds - lastSecondOfDate) / secondsPerCycle));
  return Math.max(-lastSecondOfDate, seconds - cycles * secondsPerCycle);
}

function zoneFormatter(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const formatter = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  formatters.set(zone, formatter);
  return formatter;
}

function offsetSeconds(text: string): number {
  const [, sign, hours, minutes, seconds] = fixedOffset.exec(text) ?? [];
  const magnitude = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
  return sign === "-" ? -magnitude : magnitude;
}
