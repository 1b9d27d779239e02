// Parses times by layouts, as Go does: strict in some places, and lenient in others, on which existing texts rely.

import { MappingError } from "../errors.ts";
import { localZone, timestampAt, zoneOffset } from "../message/timestamp.ts";
import { Timestamp } from "../message/value.ts";
import { dateOf, dayNumber, daysInMonth } from "../text/calendar.ts";
import { quoteAscii } from "../text/quoting.ts";
import { findName, monthNames, shortNames, weekdayNames } from "./calendar-names.ts";
import { isFraction, layoutOf } from "./time-layouts.ts";
import { fixedZone, localOffset, zoneAbbreviation } from "./zones.ts";

/** The parts of a time read so far. */
interface Parts {
  year: number;
  month: number | undefined;
  day: number | undefined;
  dayOfYear: number | undefined;
  hour: number;
  minute: number;
  second: number;
  nanosecond: number;
  half: "am" | "pm" | undefined;
  utc: boolean;
  offset: number | undefined;
  zoneName: string;
}

/** The element does not occur in the text. */
const mismatch = /* @__PURE__ */ Symbol("mismatch");

/** The result of reading an element: its end, `mismatch`, or the name of the part that is out of range. */
type Read = number | typeof mismatch | { readonly range: string };

/**
 * Parses the instant in `text` by `layoutText`. The zone is UTC if the text names none. Throws like the reference
 * engine.
 */
export function parseTime(layoutText: string, text: string): Timestamp {
  const layout = layoutOf(layoutText);
  const parts: Parts = {
    year: 0,
    month: undefined,
    day: undefined,
    dayOfYear: undefined,
    hour: 0,
    minute: 0,
    second: 0,
    nanosecond: 0,
    half: undefined,
    utc: false,
    offset: undefined,
    zoneName: "",
  };
  let position = 0;
  for (const [index, { before, element }] of layout.elements.entries()) {
    const start = skipLiteral(text, position, before, layoutText);
    const next = layout.elements[index + 1]?.element ?? "";
    const end = readElement(element, text, start, parts, next);
    if (typeof end === "object") throw outOfRange(text, end.range);
    if (typeof end === "symbol") throw unreadable(text, layoutText, start, element);
    position = end;
  }
  position = skipLiteral(text, position, layout.after, layoutText);
  if (position < text.length) throw failure(text, `extra text: ${quoteAscii(text.slice(position))}`);
  return assemble(parts, text);
}

/** Skips literal text. Spaces in a layout match any number of spaces, or the end. */
function skipLiteral(text: string, start: number, literal: string, layout: string): number {
  let position = start;
  let at = 0;
  while (at < literal.length) {
    if (literal[at] === " ") {
      if (position < text.length && text[position] !== " ") break;
      while (literal[at] === " ") at++;
      while (text[position] === " ") position++;
    } else if (text[position] === literal[at]) {
      at++;
      position++;
    } else break;
  }
  if (at < literal.length) throw unreadable(text, layout, position, literal);
  return position;
}

function readElement(element: string, text: string, start: number, parts: Parts, next: string): Read {
  if (isFraction(element)) return readFraction(element, text, start, parts);
  if (element === "MST") return readZoneName(text, start, parts);
  if (element.startsWith("Z") && text[start] === "Z") {
    parts.utc = true;
    return start + 1;
  }
  if (element.startsWith("-") || element.startsWith("Z")) return readOffset(element, text, start, parts);
  return readDate(element, text, start, parts) ?? readClock(element, text, start, parts, next);
}

function readDate(element: string, text: string, start: number, parts: Parts): Read | undefined {
  switch (element) {
    case "2006":
      return readYear(text, start, 4, parts);
    case "06":
      return readYear(text, start, 2, parts);
    case "January":
    case "Jan":
      return readMonthName(element, text, start, parts);
    case "Monday":
    case "Mon": {
      const names = element === "Mon" ? shortNames(weekdayNames) : weekdayNames;
      const found = names[findName(names, text, start)];
      return found === undefined ? mismatch : start + found.length;
    }
    case "1":
    case "01": {
      const found = digitsAt(text, start, element.length === 2 ? 2 : 1, 2);
      if (found === undefined) return mismatch;
      parts.month = Number(found);
      return parts.month < 1 || parts.month > 12 ? { range: "month" } : start + found.length;
    }
    case "2":
    case "_2":
    case "02": {
      const from = element === "_2" && text[start] === " " ? start + 1 : start;
      const found = digitsAt(text, from, element === "02" ? 2 : 1, 2);
      if (found === undefined) return mismatch;
      parts.day = Number(found);
      return from + found.length;
    }
    case "__2":
    case "002": {
      let from = start;
      if (element === "__2") while (from < start + 2 && text[from] === " ") from++;
      const found = digitsAt(text, from, element === "002" ? 3 : 1, 3);
      if (found === undefined) return mismatch;
      parts.dayOfYear = Number(found);
      return from + found.length;
    }
    default:
      return undefined;
  }
}

function readYear(text: string, start: number, width: number, parts: Parts): Read {
  const found = text.slice(start, start + width);
  const pattern = width === 4 ? /^\d{4}$/ : /^(?:\d\d|[+-]\d)$/;
  if (!pattern.test(found)) return mismatch;
  parts.year = Number(found);
  if (width === 2) parts.year += parts.year >= 69 ? 1900 : 2000;
  return start + width;
}

function readMonthName(element: string, text: string, start: number, parts: Parts): Read {
  const names = element === "Jan" ? shortNames(monthNames) : monthNames;
  const found = findName(names, text, start);
  if (found < 0) return mismatch;
  parts.month = found + 1;
  return start + (names[found] ?? "").length;
}

function readClock(element: string, text: string, start: number, parts: Parts, next: string): Read {
  if (element === "PM" || element === "pm") {
    const found = text.slice(start, start + 2);
    const [am, pm] = element === "PM" ? ["AM", "PM"] : ["am", "pm"];
    if (found !== am && found !== pm) return mismatch;
    // If AM and PM both occur, PM wins.
    if (found === pm) parts.half = "pm";
    else parts.half ??= "am";
    return start + 2;
  }
  const found = digitsAt(text, start, element.startsWith("0") ? 2 : 1, 2);
  if (found === undefined) return mismatch;
  const value = Number(found);
  const end = start + found.length;
  switch (element) {
    case "15":
      parts.hour = value;
      return value > 23 ? { range: "hour" } : end;
    case "3":
    case "03":
      parts.hour = value;
      return value > 12 ? { range: "hour" } : end;
    case "4":
    case "04":
      parts.minute = value;
      return value > 59 ? { range: "minute" } : end;
    default:
      parts.second = value;
      if (value > 59) return { range: "second" };
      // A fraction after the seconds is read even if the layout has none.
      return isFraction(next) ? end : readFraction(".9", text, end, parts);
  }
}

/** `.000` reads exactly as many digits; `.999` reads any number of digits, or none. */
function readFraction(element: string, text: string, start: number, parts: Parts): Read {
  const exact = element.charAt(1) === "0";
  const found = /^[.,]\d+/.exec(text.slice(start))?.[0];
  if (found === undefined) return exact ? mismatch : start;
  const length = exact ? element.length : found.length;
  if (found.length < length) return mismatch;
  parts.nanosecond = Number(found.slice(1, Math.min(length, 10)).padEnd(9, "0"));
  return start + length;
}

function readOffset(element: string, text: string, start: number, parts: Parts): Read {
  const digits = element.slice(1).replace(/\d\d/g, "(\\d\\d)");
  const found = new RegExp(`^(.)${digits}`, "s").exec(text.slice(start));
  if (found === null) return mismatch;
  const [whole, sign, hours = "0", minutes = "0", seconds = "0"] = found;
  if (Number(seconds) > 60) return { range: "time zone offset second" };
  if (Number(minutes) > 60) return { range: "time zone offset minute" };
  if (Number(hours) > 24) return { range: "time zone offset hour" };
  if (sign !== "+" && sign !== "-") return mismatch;
  const magnitude = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  parts.offset = sign === "-" ? -magnitude : magnitude;
  return start + whole.length;
}

const zoneNamePattern =
  /^(?:ChST|MeST|GMT(?:[+-](?:0*(?:1?\d|2[0-3]))(?!\d))?|[+-]0*(?:1?\d|2[0-3])(?!\d)|(?:[A-Z]{4}T|[A-Z]{3}T|WITA|[A-Z]{3})(?![A-Z]))/;

function readZoneName(text: string, start: number, parts: Parts): Read {
  const rest = text.slice(start);
  if (rest.startsWith("UTC")) {
    parts.utc = true;
    return start + 3;
  }
  const found = rest.length < 3 ? undefined : zoneNamePattern.exec(rest)?.[0];
  if (found === undefined) return mismatch;
  parts.zoneName = found;
  return start + found.length;
}

/** Returns up to `most` digits at `start`; `undefined` if there are fewer than `least`. */
function digitsAt(text: string, start: number, least: number, most: number): string | undefined {
  let end = start;
  while (end < start + most && /^\d$/.test(text.charAt(end))) end++;
  return end - start < least ? undefined : text.slice(start, end);
}

function assemble(parts: Parts, text: string): Timestamp {
  const { year, minute, second, nanosecond } = parts;
  const { month, day } = dayOfParts(parts, text);
  const hour = hourOfParts(parts);
  const utc = timestampAt({ year, month, day, hour, minute, second, nanosecond }, "UTC");
  if (parts.utc) return utc;
  const shown = Number(utc.seconds());
  const at = (seconds: number, zone: string) => new Timestamp(BigInt(seconds), nanosecond, zone);
  if (parts.offset !== undefined) {
    const seconds = shown - parts.offset;
    return at(seconds, zoneOfOffset(parts.offset, parts.zoneName, seconds));
  }
  if (parts.zoneName === "") return utc;
  const known = localOffset(parts.zoneName, shown);
  if (known !== undefined) return at(shown - known, localZone());
  const hours = parts.zoneName.startsWith("GMT") ? Number(parts.zoneName.slice(3)) : 0;
  return at(shown, fixedZone(hours * 3600, parts.zoneName));
}

/** Returns the zone of the process if it has that offset at that instant, otherwise a zone with that fixed offset. */
function zoneOfOffset(offset: number, name: string, seconds: number): string {
  const zone = localZone();
  const isLocal =
    zoneOffset(zone, seconds) === offset && (name === "" || name === zoneAbbreviation(zone, seconds));
  return isLocal ? zone : fixedZone(offset, name);
}

function hourOfParts({ hour, half }: Parts): number {
  if (half === "pm" && hour < 12) return hour + 12;
  return half === "am" && hour === 12 ? 0 : hour;
}

function dayOfParts(parts: Parts, text: string): { readonly month: number; readonly day: number } {
  const { year, dayOfYear } = parts;
  if (dayOfYear !== undefined) {
    const found = dateOf(dayNumber(year, 1, dayOfYear));
    if (dayOfYear < 1 || found.year !== year) throw outOfRange(text, "day-of-year");
    if (parts.month !== undefined && parts.month !== found.month)
      throw failure(text, "day-of-year does not match month");
    if (parts.day !== undefined && parts.day !== found.day)
      throw failure(text, "day-of-year does not match day");
    return found;
  }
  const { month = 1, day = 1 } = parts;
  if (day < 1 || day > daysInMonth(year, month)) throw outOfRange(text, "day");
  return { month, day };
}

function outOfRange(text: string, part: string): MappingError {
  return failure(text, `${part} out of range`);
}

function failure(text: string, reason: string): MappingError {
  const shown = quoteAscii(text);
  return new MappingError(
    `parsing time ${shown}: ${reason}`,
    `${shown} is not a time: ${reason.trimStart()}`,
  );
}

function unreadable(text: string, layout: string, position: number, element: string): MappingError {
  const rest = quoteAscii(text.slice(position));
  const shown = quoteAscii(text);
  return new MappingError(
    `parsing time ${shown} as ${quoteAscii(layout)}: cannot parse ${rest} as ${quoteAscii(element)}`,
    `${shown} is not a time of the format that is expected, from ${rest} on`,
  );
}
