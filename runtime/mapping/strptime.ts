// Parses times with strptime conversions.

import { MappingError } from "../errors.ts";
import { type ClockSetting, civilTime, timestampAt } from "../message/timestamp.ts";
import { Timestamp } from "../message/value.ts";
import { dayNumber, weekdayOf } from "../text/calendar.ts";
import { findName, monthNames, shortNames, weekdayNames } from "./calendar-names.ts";
import { quote } from "./escapes.ts";
import { compositions } from "./strftime.ts";
import { parseTime } from "./time-parsing.ts";
import { fixedZone } from "./zones.ts";

/** The parts read so far, and the current position. */
interface Reading {
  readonly text: string;
  position: number;
  year: number;
  century: number | undefined;
  isIsoYear: boolean;
  month: number;
  day: number | undefined;
  dayOfYear: number | undefined;
  /** 0 is Sunday. */
  weekday: number | undefined;
  week: { readonly letter: string; readonly number: number } | undefined;
  hour: number;
  minute: number;
  second: number;
  nanosecond: number;
  afternoon: boolean;
  zone: string;
  offset: number | undefined;
  zoneName: string | undefined;
}

/** Parses the instant in `text` by `format`. The zone is UTC if the text names none. */
export function parseStrptime(format: string, text: string): Timestamp {
  const reading: Reading = {
    text,
    position: 0,
    year: 1900,
    century: undefined,
    isIsoYear: false,
    month: 1,
    day: undefined,
    dayOfYear: undefined,
    weekday: undefined,
    week: undefined,
    hour: 0,
    minute: 0,
    second: 0,
    nanosecond: 0,
    afternoon: false,
    zone: "UTC",
    offset: undefined,
    zoneName: undefined,
  };
  const reason = readFormat(format, reading) ?? unread(reading);
  const result = reason ?? assemble(reading);
  if (typeof result === "object") return result;
  throw new MappingError(`failed to parse ${quote(text, "")} with ${quote(format, "")}: ${result}`);
}

/** Reads a whole format. Returns the reason if that fails. */
function readFormat(format: string, reading: Reading): string | undefined {
  for (let index = 0; index < format.length; index++) {
    const character = format.charAt(index);
    let problem: string | undefined;
    if (character !== "%") problem = readLiteral(character, reading);
    else {
      const [colons = ""] = /^:{0,2}/.exec(format.slice(index + 1)) ?? [];
      index += 1 + colons.length;
      const letter = format.charAt(index);
      if (colons !== "" && letter !== "z") return `expected 'z' after "%${colons}"`;
      if (letter === "") return 'stray "%"';
      const composition = Object.hasOwn(compositions, letter) ? compositions[letter] : undefined;
      if (composition !== undefined) problem = readFormat(composition, reading);
      else problem = letter === "z" ? readOffset(colons, reading) : readConversion(letter, reading);
    }
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function readLiteral(character: string, reading: Reading): string | undefined {
  if (reading.text[reading.position] !== character) {
    const shown =
      character === "'" ? "\\'" : character === '"' ? character : quote(character, "").slice(1, -1);
    return `expected '${shown}'`;
  }
  reading.position++;
  return undefined;
}

function unread({ text, position }: Reading): string | undefined {
  return position < text.length ? `unparsed string ${quote(text.slice(position), "")}` : undefined;
}

type Store = (value: number, reading: Reading) => void;

interface NumberRule {
  readonly size: number;
  readonly least: number;
  readonly most: number;
  /** Whether a space may precede the number. */
  readonly spaced?: boolean;
  readonly store: Store;
}

const to =
  (
    field: "year" | "century" | "month" | "day" | "dayOfYear" | "weekday" | "hour" | "minute" | "second",
  ): Store =>
  (value, reading) => {
    reading[field] = value;
  };
const isoYear =
  (base: number): Store =>
  (value, reading) => {
    reading.year = base + value;
    reading.isIsoYear = true;
  };
const week =
  (letter: string): Store =>
  (number, reading) => {
    reading.week = { letter, number };
    reading.weekday ??= letter === "U" ? 0 : 1;
  };
const shortYear: Store = (value, reading) => {
  reading.year = value + (value < 69 ? 2000 : 1900);
};
const isoWeekday: Store = (value, reading) => {
  reading.weekday = value % 7;
};
const hourOfHalf: Store = (value, reading) => {
  reading.hour = value % 12;
};

const numbers: Readonly<Record<string, NumberRule>> = {
  Y: { size: 4, least: 0, most: 9999, store: to("year") },
  y: {
    size: 2,
    least: 0,
    most: 99,
    store: shortYear,
  },
  C: { size: 2, least: 0, most: 99, store: to("century") },
  g: { size: 2, least: 0, most: 99, store: isoYear(2000) },
  G: { size: 4, least: 0, most: 9999, store: isoYear(0) },
  m: { size: 2, least: 1, most: 12, store: to("month") },
  w: { size: 1, least: 0, most: 6, store: to("weekday") },
  u: { size: 1, least: 1, most: 7, store: isoWeekday },
  V: { size: 2, least: 1, most: 53, store: week("V") },
  U: { size: 2, least: 0, most: 53, store: week("U") },
  W: { size: 2, least: 0, most: 53, store: week("W") },
  d: { size: 2, least: 1, most: 31, store: to("day") },
  e: { size: 2, least: 1, most: 31, spaced: true, store: to("day") },
  j: { size: 3, least: 1, most: 366, store: to("dayOfYear") },
  H: { size: 2, least: 0, most: 23, store: to("hour") },
  k: { size: 2, least: 0, most: 23, spaced: true, store: to("hour") },
  I: { size: 2, least: 1, most: 12, store: hourOfHalf },
  l: { size: 2, least: 1, most: 12, spaced: true, store: hourOfHalf },
  M: { size: 2, least: 0, most: 59, store: to("minute") },
  S: { size: 2, least: 0, most: 60, store: to("second") },
  s: { size: 10, least: 0, most: Number.MAX_SAFE_INTEGER, store: storeUnix },
};

function storeUnix(value: number, reading: Reading): void {
  const { year, month, day, hour, minute, second } = civilTime(new Timestamp(BigInt(value), 0, "UTC"));
  Object.assign(reading, { year, month, day, hour, minute, second });
}

function readConversion(letter: string, reading: Reading): string | undefined {
  const rule = Object.hasOwn(numbers, letter) ? numbers[letter] : undefined;
  if (rule !== undefined) return readNumber(letter, rule, reading);
  switch (letter) {
    case "B":
    case "b":
    case "h":
      return readName(letter, letter === "B" ? monthNames : shortNames(monthNames), reading, (found) => {
        reading.month = found + 1;
      });
    case "A":
    case "a":
      return readName(letter, letter === "A" ? weekdayNames : shortNames(weekdayNames), reading, (found) => {
        reading.weekday = found;
      });
    case "P":
    case "p":
      return readName(letter, ["AM", "PM"], reading, (found) => {
        reading.afternoon = found === 1;
      });
    case "f":
      return readMicroseconds(reading);
    case "Z":
      return readZoneName(reading);
    case "t":
    case "n":
      return readSpace(letter, reading);
    case "%":
      return readLiteral("%", reading);
    default:
      return `unexpected format "%${letter}"`;
  }
}

function readNumber(letter: string, rule: NumberRule, reading: Reading): string | undefined {
  if (rule.spaced === true && reading.text[reading.position] === " ") reading.position++;
  const found = digits(reading, rule.size);
  if (found === "" || Number(found) < rule.least || Number(found) > rule.most)
    return `cannot parse "%${letter}"`;
  reading.position += found.length;
  rule.store(Number(found), reading);
  return undefined;
}

function readName(
  letter: string,
  names: readonly string[],
  reading: Reading,
  store: (found: number) => void,
): string | undefined {
  const found = findName(names, reading.text, reading.position);
  if (found < 0) return `cannot parse "%${letter}"`;
  reading.position += (names[found] ?? "").length;
  store(found);
  return undefined;
}

function readMicroseconds(reading: Reading): string | undefined {
  const found = digits(reading, 6);
  if (found === "") return 'cannot parse "%f"';
  reading.position += found.length;
  reading.nanosecond = Number(found.padEnd(9, "0"));
  return undefined;
}

function readSpace(letter: string, reading: Reading): string | undefined {
  const found = /^[ \t\n\v\f\r]+/.exec(reading.text.slice(reading.position))?.[0];
  if (found === undefined) return `expected a space for "%${letter}"`;
  reading.position += found.length;
  return undefined;
}

function readZoneName(reading: Reading): string | undefined {
  const name = /^[A-Z]*/.exec(reading.text.slice(reading.position))?.[0] ?? "";
  const zone = zoneOfName(name);
  if (zone === undefined) return `cannot parse ${quote(name, "")} with "%Z"`;
  reading.position += name.length;
  reading.zoneName = name;
  reading.zone = reading.offset === undefined ? zone : fixedZone(reading.offset, name);
  return undefined;
}

function zoneOfName(name: string): string | undefined {
  try {
    return parseTime("MST", name).zone();
  } catch (error) {
    if (error instanceof MappingError) return undefined;
    throw error;
  }
}

/** Reads an offset: `Z`, `+hhmm`, `+hh:mm` or `+hh`. Colons in the conversion require those in the text. */
function readOffset(colons: string, reading: Reading): string | undefined {
  const rest = reading.text.slice(reading.position);
  if (rest.startsWith("Z")) {
    reading.position++;
    reading.zone = "UTC";
    return undefined;
  }
  const unreadable = `cannot parse "%${colons}z"`;
  const hours = /^[+-]([01]\d|2[0-3])/.exec(rest)?.[1];
  if (hours === undefined) return unreadable;
  if (colons !== "" && rest[3] !== ":") return `expected ':' for "%${colons}z"`;
  const colon = rest[3] === ":" ? 1 : 0;
  const minutes = /^[0-5]\d/.exec(rest.slice(3 + colon))?.[0];
  if (minutes === undefined && colons !== "") return unreadable;
  let length = 3 + colon + (minutes?.length ?? 0);
  let seconds = "0";
  // If the text separates the minutes by a colon, seconds may follow unless the format says otherwise.
  if (minutes !== undefined && colon === 1 && colons !== ":") {
    const found = /^:([0-5]\d)/.exec(rest.slice(length))?.[1];
    if (colons === "::" && rest[length] !== ":") return `expected ':' for "%::z"`;
    if (colons === "::" && found === undefined) return unreadable;
    if (found !== undefined) length += 3;
    seconds = found ?? seconds;
  }
  const magnitude = (Number(hours) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds);
  reading.position += length;
  reading.offset = rest.startsWith("-") ? -magnitude : magnitude;
  reading.zone = fixedZone(reading.offset, reading.zoneName ?? "");
  return undefined;
}

function digits({ text, position }: Reading, most: number): string {
  return /^\d*/.exec(text.slice(position, position + most))?.[0] ?? "";
}

/** Returns the instant, or the reason why the parts do not form one. */
function assemble(reading: Reading): Timestamp | string {
  const { dayOfYear, week: weekRead, isIsoYear, zone } = reading;
  const year = reading.century === undefined ? reading.year : reading.century * 100 + (reading.year % 100);
  const at = (month: number, day: number) => {
    const { minute, second, nanosecond } = reading;
    const setting: ClockSetting = { year, month, day, hour: hourOf(reading), minute, second, nanosecond };
    return timestampAt(setting, zone);
  };
  if (reading.day !== undefined) return at(reading.month, reading.day);
  if (dayOfYear !== undefined)
    return isIsoYear ? 'use "%Y" to parse non-ISO year for "%j"' : at(1, dayOfYear);
  if (weekRead === undefined) return at(reading.month, 1);
  if (weekRead.letter === "V" && !isIsoYear) return 'use "%G" to parse ISO year for "%V"';
  if (weekRead.letter !== "V" && isIsoYear) return 'use "%Y" to parse non-ISO year for "%U" or "%W"';
  return at(1, dayOfWeek(year, weekRead, reading.weekday ?? 0));
}

function hourOf({ hour, afternoon }: Reading): number {
  return afternoon ? hour + 12 : hour;
}

/** Returns the day of the year on which a weekday of a week falls. */
function dayOfWeek(year: number, { letter, number }: NonNullable<Reading["week"]>, weekday: number): number {
  const firstDay = weekdayOf(dayNumber(year, 1, 1));
  if (letter === "U") return 1 + ((7 - firstDay) % 7) + (number - 1) * 7 + weekday;
  const fromMonday = (weekday + 6) % 7;
  // ISO weeks count from the week with the first Thursday, other weeks from the first Monday.
  const mondayOfFirst = letter === "V" ? 1 - ((firstDay + 2) % 7) + 3 : 1 + ((8 - firstDay) % 7);
  return mondayOfFirst + (number - 1) * 7 + fromMonday;
}
