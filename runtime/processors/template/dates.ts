// Functions on times and durations.

import { MappingError } from "../../errors.ts";
import { addNanoseconds, parseDuration } from "../../mapping/durations.ts";
import { formatTime, layoutOf } from "../../mapping/time-layouts.ts";
import { parseTime } from "../../mapping/time-parsing.ts";
import { zoneNamed } from "../../mapping/zones.ts";
import { civilTime, localZone, timestampAt } from "../../message/timestamp.ts";
import { Timestamp } from "../../message/value.ts";
import { trimmedEnd } from "../../text/trim.ts";
import { spend } from "../jq/run.ts";
import { decimalOf } from "./casts.ts";
import { Int, type TemplateValue } from "./values.ts";

const second = 1_000_000_000n;

export function now(): Timestamp {
  const milliseconds = Date.now();
  const seconds = Math.floor(milliseconds / 1000);
  return new Timestamp(BigInt(seconds), (milliseconds - seconds * 1000) * 1_000_000, localZone());
}

/** Returns a time, or the time of a number of seconds. Other values stand for the current time. */
function timeOf(value: TemplateValue): Timestamp {
  if (value instanceof Timestamp) return value;
  const isSeconds = value instanceof Int && ["int", "int64", "int32"].includes(value.type);
  return isSeconds ? new Timestamp(value.value, 0, localZone()) : now();
}

export function date(layout: string, value: TemplateValue): string {
  return dateInZone(layout, value, "Local");
}

export function dateInZone(layout: string, value: TemplateValue, zone: string): string {
  const time = timeOf(value);
  return formatTime(new Timestamp(time.seconds(), time.nanoseconds(), knownZone(zone)), layout);
}

/** Returns a zone; UTC if there is none with this name. */
function knownZone(name: string): string {
  try {
    return zoneNamed(name);
  } catch (error) {
    if (error instanceof MappingError) return "UTC";
    throw error;
  }
}

export function htmlDate(value: TemplateValue): string {
  return dateInZone("2006-01-02", value, "Local");
}

export function htmlDateInZone(value: TemplateValue, zone: string): string {
  return dateInZone("2006-01-02", value, zone);
}

export function mustDateModify(duration: string, time: Timestamp): Timestamp {
  return addNanoseconds(time, parseDuration(duration));
}

export function dateModify(duration: string, time: Timestamp): Timestamp {
  return otherwise(time, () => mustDateModify(duration, time));
}

/** Parses a time. Without a zone in the text, it is in the zone of the process. */
export function mustToDate(layout: string, text: string): Timestamp {
  spend(text.length);
  const time = parseTime(layout, text);
  if (layoutOf(layout).elements.some(({ element }) => /^(?:MST|[-Z]07)/.test(element))) return time;
  return timestampAt(civilTime(time), localZone());
}

const zeroTime = /* @__PURE__ */ new Timestamp(-62_135_596_800n, 0, "UTC");

export function toDate(layout: string, text: string): Timestamp {
  return otherwise(zeroTime, () => mustToDate(layout, text));
}

function otherwise<T>(fallback: T, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof MappingError) return fallback;
    throw error;
  }
}

export function unixEpoch(time: Timestamp): string {
  return String(time.seconds());
}

/** Returns how long ago a time is, in whole seconds. */
export function ago(value: TemplateValue): string {
  const elapsed = nanosecondsSince(timeOf(value));
  const half = second / 2n;
  return durationText(((elapsed < 0n ? elapsed - half : elapsed + half) / second) * second);
}

function nanosecondsSince(time: Timestamp): bigint {
  const current = now();
  const seconds = current.seconds() - time.seconds();
  return seconds * second + BigInt(current.nanoseconds() - time.nanoseconds());
}

/** Returns a number of seconds as a duration. */
export function duration(value: TemplateValue): string {
  const seconds =
    typeof value === "string"
      ? decimalOf(value)
      : value instanceof Int && value.type === "int64"
        ? value.value
        : 0n;
  return durationText(BigInt.asIntN(64, seconds * second));
}

/** Returns `1h2m3.5s`. */
function durationText(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return "0s";
  const magnitude = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const sign = nanoseconds < 0n ? "-" : "";
  for (const [unit, size] of [
    ["ns", 1n],
    ["µs", 1000n],
    ["ms", 1_000_000n],
  ] as const)
    if (magnitude < size * 1000n) return `${sign}${Number(magnitude) / Number(size)}${unit}`;
  const seconds = magnitude / second;
  const fraction = trimmedEnd(String(magnitude % second).padStart(9, "0"), "0");
  const rest = `${seconds % 60n}${fraction === "" ? "" : `.${fraction}`}s`;
  const minutes = seconds / 60n;
  if (minutes === 0n) return sign + rest;
  return `${sign}${minutes < 60n ? "" : `${minutes / 60n}h`}${minutes % 60n}m${rest}`;
}

const spans = [
  ["y", 31_536_000n * second],
  ["mo", 2_592_000n * second],
  ["d", 86_400n * second],
  ["h", 3600n * second],
  ["m", 60n * second],
  ["s", second],
] as const;

/** Returns a duration as a number of its largest unit. */
export function durationRound(value: TemplateValue): string {
  const nanoseconds = nanosecondsOf(value);
  const magnitude = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const found = spans.find(([, size]) => magnitude > size);
  return found === undefined ? "0s" : `${magnitude / found[1]}${found[0]}`;
}

function nanosecondsOf(value: TemplateValue): bigint {
  if (typeof value === "string") return otherwise(0n, () => parseDuration(value));
  if (value instanceof Int && value.type === "int64") return value.value;
  return value instanceof Timestamp ? nanosecondsSince(value) : 0n;
}
