// Go's time layouts: they show how the instant 2006-01-02 15:04:05 -0700 MST would be written.

import { type CivilTime, civilTime, padded } from "../message/timestamp.ts";
import type { Timestamp } from "../message/value.ts";
import { type CalendarDate, dayOfYear } from "../text/calendar.ts";
import { trimmedEnd } from "../text/trim.ts";
import { monthNames, shortName, weekdayNames } from "./calendar-names.ts";
import { zoneAbbreviation } from "./zones.ts";

/** RFC 3339 with as many fractional digits as needed. */
export const rfc3339Layout = "2006-01-02T15:04:05.999999999Z07:00";

/** An element of a layout, such as `January` or `05`, and the literal text before it. */
export interface LayoutElement {
  readonly before: string;
  readonly element: string;
}

/** A parsed layout. */
export interface Layout {
  readonly text: string;
  readonly elements: readonly LayoutElement[];
  /** The literal text after the last element. */
  readonly after: string;
}

const elementPattern =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|0[1-6]|002|15|1|2006|2|_2(?!006)|__2|3|4|5|PM|pm|[-Z]07(?:0000|:00:00|00|:00)?|[.,](?:0+|9+)(?!\d)/g;

const layouts = /* @__PURE__ */ new Map<string, Layout>();
const keptLayouts = 100;

/** Returns the parts of a layout. Any text is a valid layout. */
export function layoutOf(text: string): Layout {
  const known = layouts.get(text);
  if (known !== undefined) return known;
  const elements: LayoutElement[] = [];
  let end = 0;
  for (const { 0: element, index } of text.matchAll(elementPattern)) {
    elements.push({ before: text.slice(end, index), element });
    end = index + element.length;
  }
  const layout = { text, elements, after: text.slice(end) };
  // Layouts may come from messages, so the cache is limited.
  if (layouts.size >= keptLayouts) layouts.clear();
  layouts.set(text, layout);
  return layout;
}

/** Whether an element is a fraction of a second: `.000` or `,999`. */
export function isFraction(element: string): boolean {
  return element.startsWith(".") || element.startsWith(",");
}

/** Returns the text of an instant in its zone. */
export function formatTime(timestamp: Timestamp, layoutText: string): string {
  const layout = layoutOf(layoutText);
  const time = civilTime(timestamp);
  const written = layout.elements.map(({ before, element }) => {
    return before + formatElement(element, time, timestamp);
  });
  return written.join("") + layout.after;
}

function formatElement(element: string, time: CivilTime, timestamp: Timestamp): string {
  if (isFraction(element)) return formatFraction(element, time.nanosecond);
  if (element === "MST") {
    const name = zoneAbbreviation(timestamp.zone(), Number(timestamp.seconds()));
    return name === "" ? formatZoneOffset("-0700", time.offset) : name;
  }
  if (element.startsWith("-") || element.startsWith("Z")) return formatZoneOffset(element, time.offset);
  return formatDate(element, time) ?? formatClock(element, time);
}

function formatDate(element: string, time: CivilTime & CalendarDate): string | undefined {
  switch (element) {
    case "2006":
      return padded(time.year, 4);
    case "06":
      return padded(Math.abs(time.year) % 100, 2);
    case "January":
      return monthNames[time.month - 1] ?? "";
    case "Jan":
      return shortName(monthNames[time.month - 1] ?? "");
    case "1":
      return String(time.month);
    case "01":
      return padded(time.month, 2);
    case "Monday":
      return weekdayNames[time.weekday] ?? "";
    case "Mon":
      return shortName(weekdayNames[time.weekday] ?? "");
    case "2":
      return String(time.day);
    case "_2":
      return String(time.day).padStart(2);
    case "02":
      return padded(time.day, 2);
    case "__2":
      return String(dayOfYear(time)).padStart(3);
    case "002":
      return padded(dayOfYear(time), 3);
    default:
      return undefined;
  }
}

function formatClock(element: string, { hour, minute, second }: CivilTime): string {
  switch (element) {
    case "15":
      return padded(hour, 2);
    case "3":
      return String(hour % 12 || 12);
    case "03":
      return padded(hour % 12 || 12, 2);
    case "4":
      return String(minute);
    case "04":
      return padded(minute, 2);
    case "5":
      return String(second);
    case "05":
      return padded(second, 2);
    case "PM":
      return hour >= 12 ? "PM" : "AM";
    default:
      return hour >= 12 ? "pm" : "am";
  }
}

/** `.000` keeps all digits, at most nine. `.999` drops trailing zeros, and the point if no digit is left. */
function formatFraction(element: string, nanosecond: number): string {
  const kept = padded(nanosecond, 9).slice(0, element.length - 1);
  if (element.charAt(1) === "0") return element.charAt(0) + kept;
  const trimmed = trimmedEnd(kept, "0");
  return trimmed === "" ? "" : element.charAt(0) + trimmed;
}

/**
 * Returns an offset in the form of `-07`, `-0700`, `-07:00`, `-070000` or `-07:00:00`. In forms with `Z`, UTC is `Z`.
 */
function formatZoneOffset(element: string, offset: number): string {
  if (element.startsWith("Z") && offset === 0) return "Z";
  const form = element.slice(1);
  const minutes = Math.trunc(Math.abs(offset) / 60);
  const parts = [Math.trunc(minutes / 60), minutes % 60, Math.abs(offset) % 60];
  const count = form.replaceAll(":", "").length / 2;
  const separator = form.includes(":") ? ":" : "";
  const sign = offset < 0 && minutes > 0 ? "-" : "+";
  const written = parts.slice(0, count).map((part) => padded(part, 2));
  return sign + written.join(separator);
}
