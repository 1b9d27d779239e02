// Formats times with strftime conversions, including the GNU flags and widths.

import { type CivilTime, civilTime, padded } from "../message/timestamp.ts";
import type { Timestamp } from "../message/value.ts";
import { dayNumber, dayOfYear, weekdayOf } from "../text/calendar.ts";
import { monthNames, shortName, weekdayNames } from "./calendar-names.ts";
import { zoneAbbreviation } from "./zones.ts";

/** Conversions that stand for several others. Text between those is copied. */
export const compositions: Readonly<Record<string, string>> = {
  c: "%a %b %e %H:%M:%S %Y",
  "+": "%a %b %e %H:%M:%S %Z %Y",
  F: "%Y-%m-%d",
  D: "%m/%d/%y",
  x: "%m/%d/%y",
  v: "%e-%b-%Y",
  T: "%H:%M:%S",
  X: "%H:%M:%S",
  r: "%I:%M:%S %p",
  R: "%H:%M",
};

/** The part between `%` and the letter of a conversion. */
interface Options {
  /** The padding character: empty for no padding, `undefined` for the default of the conversion. */
  readonly padding: string | undefined;
  readonly width: number;
  readonly upper: boolean;
  readonly swap: boolean;
}

interface Formatted {
  readonly time: CivilTime;
  readonly timestamp: Timestamp;
}

const conversion = /%([-_^#0]*)([1-9]\d*)?(:{1,3}(?=z))?(.)?/gs;
const widest = 1024;
const numberWidths: Readonly<Record<string, number>> = { Y: 4, G: 4, j: 3, f: 6, w: 0, u: 0, s: 0 };
/** Conversions padded with spaces. */
const spaced = "ekls";

/** Returns the text of an instant in its zone. */
export function formatStrftime(timestamp: Timestamp, format: string): string {
  return formatWith(format, { time: civilTime(timestamp), timestamp }, false);
}

function formatWith(format: string, formatted: Formatted, upper: boolean): string {
  return format.replace(
    conversion,
    (raw, flags: string, width?: string, colons?: string, letter?: string) => {
      const options = optionsOf(flags, Math.min(widest, Number(width ?? 0)), upper);
      if (letter === undefined) return raw === "%" ? raw : fill(raw, options);
      const composition = Object.hasOwn(compositions, letter) ? compositions[letter] : undefined;
      if (composition !== undefined) return formatWith(composition, formatted, options.upper);
      if (letter === "z") return formatOffset(formatted.time.offset, colons?.length ?? 0, options);
      if ("tn%".includes(letter)) return fill({ t: "\t", n: "\n" }[letter] ?? "%", options);
      return (
        formatName(letter, formatted, options) ??
        formatNumber(letter, formatted, options) ??
        fill(raw, options)
      );
    },
  );
}

function optionsOf(flags: string, width: number, upper: boolean): Options {
  const filler = flags.replace(/[\^#]/g, "").at(-1);
  // A width without padding is contradictory: it pads with spaces.
  const none = width > 0 ? " " : "";
  const padding = filler === undefined ? undefined : ({ "-": none, _: " " }[filler] ?? "0");
  return { padding, width, upper: upper || flags.includes("^"), swap: flags.includes("#") };
}

function formatName(letter: string, { time, timestamp }: Formatted, options: Options): string | undefined {
  const month = monthNames[time.month - 1] ?? "";
  const weekday = weekdayNames[time.weekday] ?? "";
  switch (letter) {
    case "B":
      return fill(cased(month, options), options);
    case "b":
    case "h":
      return fill(cased(shortName(month), options), options);
    case "A":
      return fill(cased(weekday, options), options);
    case "a":
      return fill(cased(shortName(weekday), options), options);
    case "p":
    case "P": {
      const swap = letter === "P" ? !(options.upper || options.swap) : options.swap;
      return fill(cased(time.hour < 12 ? "AM" : "PM", { ...options, swap }), options);
    }
    case "Z": {
      const name = zoneAbbreviation(timestamp.zone(), Number(timestamp.seconds()));
      return name === "" ? formatOffset(time.offset, 0, options) : fill(cased(name, options), options);
    }
    default:
      return undefined;
  }
}

/** `#` changes all-uppercase names to lowercase, and other names to uppercase. */
function cased(name: string, { upper, swap }: Options): string {
  if (swap && name === name.toUpperCase()) return name.toLowerCase();
  return swap || upper ? name.toUpperCase() : name;
}

function formatNumber(letter: string, formatted: Formatted, options: Options): string | undefined {
  const value = numberOf(letter, formatted);
  if (value === undefined) return undefined;
  const least = numberWidths[letter] ?? 2;
  // Years and fractions may be narrower than the default. The other conversions may only be wider.
  const chosen = options.width === 0 || (!"YGf".includes(letter) && options.width < least);
  const padding = options.padding ?? (spaced.includes(letter) ? " " : "0");
  return padding === "" ? String(value) : String(value).padStart(chosen ? least : options.width, padding);
}

function numberOf(letter: string, { time, timestamp }: Formatted): number | bigint | undefined {
  switch (letter) {
    case "Y":
      return time.year;
    case "y":
      return time.year % 100;
    case "C":
      return Math.trunc(time.year / 100);
    case "m":
      return time.month;
    case "d":
    case "e":
      return time.day;
    case "H":
    case "k":
      return time.hour;
    case "I":
    case "l":
      return time.hour % 12 || 12;
    case "M":
      return time.minute;
    case "S":
      return time.second;
    case "s":
      return timestamp.seconds();
    case "f":
      return Math.trunc(time.nanosecond / 1000);
    default:
      return weekNumberOf(letter, time);
  }
}

function weekNumberOf(letter: string, time: CivilTime): number | undefined {
  switch (letter) {
    case "w":
      return time.weekday;
    case "u":
      return time.weekday || 7;
    case "j":
      return dayOfYear(time);
    case "U":
      return Math.floor((dayOfYear(time) + 6 - time.weekday) / 7);
    case "W":
      return Math.floor((dayOfYear(time) + 6 - ((time.weekday + 6) % 7)) / 7);
    case "G":
      return isoWeek(time).year;
    case "g":
      return isoWeek(time).year % 100;
    case "V":
      return isoWeek(time).week;
    default:
      return undefined;
  }
}

/** Returns the ISO 8601 week. It belongs to the year of its Thursday. */
function isoWeek(time: CivilTime): { readonly year: number; readonly week: number } {
  const today = dayNumber(time.year, time.month, time.day);
  const thursday = today - ((weekdayOf(today) + 6) % 7) + 3;
  const year = [time.year - 1, time.year, time.year + 1].findLast(
    (candidate) => dayNumber(candidate, 1, 1) <= thursday,
  );
  const start = dayNumber(year ?? time.year, 1, 1);
  return { year: year ?? time.year, week: Math.floor((thursday - start) / 7) + 1 };
}

/** Returns `+hhmm`. One colon separates hours and minutes, two add seconds, and three omit trailing zero parts. */
function formatOffset(offset: number, colons: number, options: Options): string {
  const magnitude = Math.abs(offset);
  const sign = offset < 0 ? "-" : "+";
  const seconds = magnitude % 60;
  const hours = String(Math.floor(magnitude / 3600));
  const rest =
    colons === 3 && magnitude % 3600 === 0
      ? ""
      : (colons === 0 ? "" : ":") +
        padded(Math.floor(magnitude / 60) % 60, 2) +
        (colons === 2 || (colons === 3 && seconds !== 0) ? `:${padded(seconds, 2)}` : "");
  const padding = options.padding ?? "0";
  if (padding === "") return sign + hours + rest;
  const width = Math.max(options.width, 3 + rest.length);
  if (padding === " ") return (sign + hours + rest).padStart(width);
  return sign + (hours + rest).padStart(width - 1, "0");
}

function fill(text: string, { width, padding = " " }: Options): string {
  return padding === "" ? text : text.padStart(width, padding);
}
