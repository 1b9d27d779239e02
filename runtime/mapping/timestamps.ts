// Methods on timestamps, and conversions of texts and numbers to timestamps or durations.

import { formatTimestamp, localZone } from "../message/timestamp.ts";
import { Timestamp, type Value } from "../message/value.ts";
import { bigArgument, pluginText, textArgument } from "./arguments.ts";
import {
  addNanoseconds,
  addPeriod,
  parseDuration as durationNanoseconds,
  type Period,
  parsePeriod,
  periodNanoseconds,
} from "./durations.ts";
import { beyondFloat, failedOn, failedWithin, failureText, wrongType } from "./failures.ts";
import { integer, isFloat, maxInt64, minInt64, numeric, toFloat, truncate } from "./numeric.ts";
import { formatStrftime } from "./strftime.ts";
import { parseStrptime } from "./strptime.ts";
import { textOf } from "./text.ts";
import { formatTime, rfc3339Layout } from "./time-layouts.ts";
import { parseTime } from "./time-parsing.ts";
import { zoneNamed } from "./zones.ts";

const nanosecondsPerSecond = 1_000_000_000n;
/** Seconds from 0001-01-01, from which multiples of a duration are counted, to 1970-01-01. */
const secondsBefore1970 = 62_135_596_800n;

/** `.ts_parse(format)`: uses a Go layout. */
export function tsParse(target: Value, _from: string, format: Value): Timestamp {
  const layout = textArgument("method 'ts_parse'", "format", format);
  return parseTime(layout, pluginText(target));
}

/** `.ts_strptime(format)` */
export function tsStrptime(target: Value, _from: string, format: Value): Timestamp {
  const layout = textArgument("method 'ts_strptime'", "format", format);
  return parseStrptime(layout, pluginText(target));
}

/** `.ts_format(format, tz)`: uses a Go layout. */
export function tsFormat(target: Value, _from: string, format: Value, tz?: Value): string {
  return formatTime(...formatArguments("ts_format", target, format, tz));
}

/** `.ts_strftime(format, tz)` */
export function tsStrftime(target: Value, _from: string, format: Value, tz?: Value): string {
  return formatStrftime(...formatArguments("ts_strftime", target, format, tz));
}

/** `.format_timestamp(format, tz)`: the former name of `ts_format`. */
export function formatTimestampBy(target: Value, _from: string, format: Value, tz?: Value): string {
  return formatTime(...formatArguments("format_timestamp", target, format, tz));
}

/** `.format_timestamp_strftime(format, tz)`: the former name of `ts_strftime`. */
export function formatTimestampStrftime(target: Value, _from: string, format: Value, tz?: Value): string {
  return formatStrftime(...formatArguments("format_timestamp_strftime", target, format, tz));
}

/** `.ts_round(duration)`: rounds to a multiple of `duration` nanoseconds, halves up. */
export function tsRound(target: Value, _from: string, duration: Value): Timestamp {
  const span = bigArgument("method 'ts_round'", "duration", duration);
  const timestamp = timestampTarget(target);
  if (span <= 0n) return timestamp;
  const seconds = timestamp.seconds() + secondsBefore1970;
  const total = seconds * nanosecondsPerSecond + BigInt(timestamp.nanoseconds());
  const above = ((total % span) + span) % span;
  return addNanoseconds(timestamp, above + above < span ? -above : span - above);
}

/** `.ts_tz(tz)` */
export function tsTz(target: Value, _from: string, tz: Value): Timestamp {
  const zone = zoneNamed(textArgument("method 'ts_tz'", "tz", tz));
  return inZone(timestampTarget(target), zone);
}

/** `.ts_add_iso8601(duration)` */
export function tsAddIso8601(target: Value, _from: string, duration: Value): Timestamp {
  const period = parsePeriod(textArgument("method 'ts_add_iso8601'", "duration", duration));
  return addPeriod(timestampTarget(target), period);
}

/** `.ts_sub_iso8601(duration)` */
export function tsSubIso8601(target: Value, _from: string, duration: Value): Timestamp {
  const period = parsePeriod(textArgument("method 'ts_sub_iso8601'", "duration", duration));
  const back: Period = { ...period, negative: !period.negative };
  return addPeriod(timestampTarget(target), back);
}

/** `.ts_sub(t2)`: returns nanoseconds, limited to the range of int64. */
export function tsSub(target: Value, _from: string, t2: Value): Value {
  const start = timestampArgument("method 'ts_sub'", "t2", t2);
  const end = timestampTarget(target);
  // As in the reference engine, the seconds since the year 1 overflow.
  const [from, to] = [secondsSinceYear1(start), secondsSinceYear1(end)];
  const nanoseconds = BigInt(end.nanoseconds() - start.nanoseconds());
  const difference = BigInt.asIntN(64, to - from) * nanosecondsPerSecond + nanoseconds;
  if (difference >= minInt64 && difference <= maxInt64) return integer(difference);
  return integer(to < from ? minInt64 : maxInt64);
}

function secondsSinceYear1(timestamp: Timestamp): bigint {
  return BigInt.asIntN(64, timestamp.seconds() + secondsBefore1970);
}

/** `.ts_unix()` */
export function tsUnix(target: Value, _from: string): Value {
  return integer(timestampTarget(target).seconds());
}

/** `.ts_unix_milli()` */
export function tsUnixMilli(target: Value, _from: string): Value {
  return unixTime(target, 1000n);
}

/** `.ts_unix_micro()` */
export function tsUnixMicro(target: Value, _from: string): Value {
  return unixTime(target, 1_000_000n);
}

/** `.ts_unix_nano()` */
export function tsUnixNano(target: Value, _from: string): Value {
  return unixTime(target, nanosecondsPerSecond);
}

/** `.parse_timestamp(format)`: returns RFC 3339 text. */
export function parseTimestamp(target: Value, _from: string, format: Value): string {
  const layout = textArgument("method 'parse_timestamp'", "format", format);
  return formatTimestamp(parseTime(layout, pluginText(target)));
}

/** `.parse_timestamp_strptime(format)`: returns RFC 3339 text. */
export function parseTimestampStrptime(target: Value, _from: string, format: Value): string {
  const layout = textArgument("method 'parse_timestamp_strptime'", "format", format);
  return formatTimestamp(parseStrptime(layout, pluginText(target)));
}

/** `.parse_duration()`: returns the nanoseconds of a Go duration. */
export function parseDuration(target: Value, _from: string): Value {
  return integer(durationNanoseconds(pluginText(target)));
}

/**
 * `.parse_duration_iso8601()`: returns the nanoseconds of an ISO 8601 period. Years and months have their average
 * length.
 */
export function parseDurationIso8601(target: Value, _from: string): Value {
  return integer(periodNanoseconds(parsePeriod(pluginText(target))));
}

/** `.timestamp(default)`: returns the target as a timestamp, or the default if it cannot be converted. */
export function timestamp(target: Value, from: string, fallback?: Value): Timestamp {
  const other =
    fallback === undefined ? undefined : timestampArgument("method 'timestamp'", "default", fallback);
  try {
    return timestampTarget(target);
  } catch (error) {
    const reason = failureText(error);
    if (other !== undefined) return other;
    throw isText(target) ? failedOn(from, reason) : wrongType(from, ["number", "string"], target);
  }
}

/** Converts a timestamp, a number of seconds since 1970 (in the zone of the process), or RFC 3339 text. */
function timestampTarget(target: Value): Timestamp {
  if (target instanceof Timestamp) return target;
  if (isText(target) || beyondFloat(target) !== undefined) return parseTime(rfc3339Layout, textOf(target));
  const number = numeric(target);
  if (number === undefined) throw wrongType("", ["number", "string"], target);
  const seconds = new Timestamp(BigInt(truncate(number)), 0, localZone());
  if (!isFloat(number)) return seconds;
  const value = toFloat(number);
  const nanoseconds = Math.trunc((value - Math.trunc(value)) * 1e9);
  if (Number.isFinite(nanoseconds)) return addNanoseconds(seconds, BigInt(nanoseconds));
  // The processor of the reference engine makes the smallest int64 of both parts, whose sum wraps.
  const sum = addNanoseconds(seconds, -(2n ** 63n));
  return new Timestamp(BigInt.asIntN(64, sum.seconds()), sum.nanoseconds(), sum.zone());
}

function isText(value: Value): boolean {
  return typeof value === "string" || value instanceof Uint8Array;
}

/** Returns an argument of type timestamp: a timestamp, Unix seconds, or RFC 3339 text. */
export function timestampArgument(call: string, name: string, value: Value): Timestamp {
  try {
    return timestampTarget(value);
  } catch (error) {
    throw failedWithin(`${call}: failed to extract input arg '${name}'`, error);
  }
}

function formatArguments(
  name: string,
  target: Value,
  format: Value,
  tz: Value | undefined,
): [timestamp: Timestamp, format: string] {
  const call = `method '${name}'`;
  const layout = textArgument(call, "format", format);
  const zone = tz === undefined ? undefined : zoneNamed(textArgument(call, "tz", tz));
  const found = timestampTarget(target);
  return [zone === undefined ? found : inZone(found, zone), layout];
}

function inZone(timestamp: Timestamp, zone: string): Timestamp {
  return new Timestamp(timestamp.seconds(), timestamp.nanoseconds(), zone);
}

/** Returns the time since 1970 in fractions of a second, rounded down. */
function unixTime(target: Value, partsPerSecond: bigint): Value {
  const found = timestampTarget(target);
  const parts = BigInt(found.nanoseconds()) / (nanosecondsPerSecond / partsPerSecond);
  return integer(found.seconds() * partsPerSecond + parts);
}
