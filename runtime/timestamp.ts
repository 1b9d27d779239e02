// Instants on the calendar of a zone, and their RFC 3339 text.

import type { Timestamp } from "./value.ts";

/** An instant as a calendar and a clock of its zone show it. */
export interface CivilTime {
  readonly year: number;
  /** 1 … 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanosecond: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  /** Seconds east of UTC. */
  readonly offset: number;
}

const formatters = /* @__PURE__ */ new Map<string, Intl.DateTimeFormat>();
const fixedOffset = /^([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/;

/** What calendar and clock show in the timestamp's zone. */
export function civilTime(timestamp: Timestamp): CivilTime {
  const seconds = Number(timestamp.seconds());
  const offset = zoneOffset(timestamp.zone(), seconds);
  const shown = new Date((seconds + offset) * 1000);
  return {
    year: shown.getUTCFullYear(),
    month: shown.getUTCMonth() + 1,
    day: shown.getUTCDate(),
    hour: shown.getUTCHours(),
    minute: shown.getUTCMinutes(),
    second: shown.getUTCSeconds(),
    nanosecond: timestamp.nanoseconds(),
    weekday: shown.getUTCDay(),
    offset,
  };
}

/** Seconds east of UTC that `zone` has at `seconds` since 1970. */
function zoneOffset(zone: string, seconds: number): number {
  if (zone === "UTC") return 0;
  if (fixedOffset.test(zone)) return offsetSeconds(zone);
  const name = zoneFormatter(zone)
    .formatToParts(seconds * 1000)
    .find((part) => part.type === "timeZoneName")?.value;
  return name === undefined || name === "GMT" ? 0 : offsetSeconds(name.slice("GMT".length));
}

/** RFC 3339 with as many fractional digits as needed: `2020-08-14T05:54:23.5Z`. */
export function formatTimestamp(timestamp: Timestamp): string {
  const time = civilTime(timestamp);
  const fraction = time.nanosecond === 0 ? "" : `.${padded(time.nanosecond, 9).replace(/0+$/, "")}`;
  const date = `${padded(time.year, 4)}-${padded(time.month, 2)}-${padded(time.day, 2)}`;
  const clock = `${padded(time.hour, 2)}:${padded(time.minute, 2)}:${padded(time.second, 2)}`;
  return `${date}T${clock}${fraction}${time.offset === 0 ? "Z" : formatOffset(time.offset, ":")}`;
}

/** `±hh:mm`, or with another separator between hours and minutes. */
function formatOffset(offset: number, separator: string): string {
  const minutes = Math.trunc(Math.abs(offset) / 60);
  const hours = Math.trunc(minutes / 60);
  return `${offset < 0 ? "-" : "+"}${padded(hours, 2)}${separator}${padded(minutes % 60, 2)}`;
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

function padded(value: number, width: number): string {
  return String(value).padStart(width, "0");
}
