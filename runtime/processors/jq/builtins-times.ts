// jq functions on times: seconds since 1970, and arrays of calendar parts.

import { formatStrftime } from "../../mapping/strftime.ts";
import { parseStrptime } from "../../mapping/strptime.ts";
import { localZone, timestampAt, zoneOffset } from "../../message/timestamp.ts";
import { Timestamp } from "../../message/value.ts";
import { dateOf, dayNumber, dayOfYear, weekdayOf } from "../../text/calendar.ts";
import { type Builtins, plain } from "./builtin.ts";
import { unfit } from "./builtins-values.ts";
import { unfit1 } from "./operators.ts";
import { failure, isList, isNumeric, JqError, type JqValue, preview } from "./values.ts";

const iso = "%Y-%m-%dT%H:%M:%SZ";

/** Functions by `name/arguments`. */
export const timeBuiltins: Builtins = {
  "now/0": plain(() => Date.now() / 1000),
  "gmtime/0": plain((input) => {
    if (!isNumeric(input)) throw unfit("gmtime", input);
    return calendarOf(Number(input));
  }),
  "localtime/0": plain((input) => {
    if (!isNumeric(input)) throw unfit("localtime", input);
    return calendarOf(Number(input), true);
  }),
  "mktime/0": plain((input) => {
    if (!isList(input)) throw unfit("mktime", input);
    const parts = partsOf(input);
    if (parts === undefined) throw failure(`mktime cannot be applied to ${preview(input)}: ${wrongParts}`);
    return secondsOf(parts, "UTC");
  }),
  "strftime/1": plain((input, [format = null]) => formatted("strftime", input, format, "UTC")),
  "strflocaltime/1": plain((input, [format = null]) =>
    formatted("strflocaltime", input, format, localZone()),
  ),
  "strptime/1": plain((input, [format = null]) => calendarOf(parsed(input, format))),
  "todate/0": plain((input) => formatted("strftime", input, iso, "UTC")),
  "todateiso8601/0": plain((input) => formatted("strftime", input, iso, "UTC")),
  "fromdate/0": plain((input) => parsed(input, "%Y-%m-%dT%H:%M:%S%z")),
  "fromdateiso8601/0": plain((input) => parsed(input, "%Y-%m-%dT%H:%M:%S%z")),
};

const wrongParts = "expected an array of 8 numbers";

/** Returns the year, month from 0, day, hour, minute, second with its fraction, weekday, and day of the year from 0. */
function calendarOf(seconds: number, isLocal = false): JqValue {
  const whole = Math.trunc(seconds);
  if (!Number.isFinite(seconds) || Math.abs(whole) > 1e14) throw failure("the time is out of range");
  const shift = isLocal ? zoneOffset(localZone(), whole) : 0;
  const local = Math.floor(seconds) + shift;
  const day = Math.floor(local / 86400);
  const date = dateOf(day);
  const rest = local - day * 86400;
  const fraction = Math.trunc((seconds - Math.floor(seconds)) * 1e9) / 1e9;
  return [
    date.year,
    date.month - 1,
    date.day,
    Math.floor(rest / 3600),
    Math.floor((rest % 3600) / 60),
    (rest % 60) + fraction,
    weekdayOf(day),
    dayOfYear(date) - 1,
  ];
}

type Parts = readonly [
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
];

function partsOf(input: readonly JqValue[]): Parts | undefined {
  if (input.length !== 8 || !input.every(isNumeric)) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = input.map((each) => Math.trunc(Number(each)));
  return [year, month, day, hour, minute, Number(input[5])];
}

function secondsOf(parts: Parts, zone: string): number {
  const at = timestampOf(parts, zone);
  return Number(at.seconds()) + at.nanoseconds() / 1e9;
}

/** Returns the instant of calendar parts. Out-of-range parts carry over: month 13 belongs to the next year. */
function timestampOf([year, month, day, hour, minute, second]: Parts, zone: string): Timestamp {
  const first = dayNumber(year + Math.floor(month / 12), (((month % 12) + 12) % 12) + 1, 1);
  const whole = Math.trunc(second);
  const seconds = (first + day - 1) * 86400 + hour * 3600 + minute * 60 + whole;
  if (!Number.isFinite(seconds) || Math.abs(seconds) > 1e14) throw failure("the time is out of range");
  const nanoseconds = Math.trunc((second - Math.floor(second)) * 1e9);
  const atUtc = new Timestamp(BigInt(seconds), nanoseconds, zone);
  if (zone === "UTC") return atUtc;
  const days = Math.floor(seconds / 86400);
  const rest = seconds - days * 86400;
  const clock = {
    ...dateOf(days),
    hour: Math.floor(rest / 3600),
    minute: Math.floor((rest % 3600) / 60),
    second: rest % 60,
    nanosecond: nanoseconds,
  };
  return timestampAt(clock, zone);
}

function formatted(name: string, input: JqValue, format: JqValue, zone: string): JqValue {
  const calendar = isNumeric(input) ? calendarOf(Number(input), zone !== "UTC") : input;
  if (!isList(calendar) || typeof format !== "string") throw unfit1(name, input, format);
  const parts = partsOf(calendar);
  if (parts === undefined)
    throw failure(`${name}(${preview(format)}) cannot be applied to ${preview(input)}: ${wrongParts}`);
  return formatStrftime(timestampOf(parts, zone), format);
}

/** Parses a time. Returns seconds since 1970. */
function parsed(input: JqValue, format: JqValue): number {
  if (typeof input !== "string" || typeof format !== "string") throw unfit1("strptime", input, format);
  try {
    const at = parseStrptime(format, input);
    return Number(at.seconds()) + at.nanoseconds() / 1e9;
  } catch (error) {
    if (!(error instanceof Error) || error instanceof JqError || error.name !== "MappingError") throw error;
    throw failure(`strptime(${preview(format)}) cannot be applied to ${preview(input)}: ${error.message}`);
  }
}
