// Time zones: which exist, which is that of the process, and what clocks in them are called.

import { MappingError } from "../errors.ts";
import { formatOffset, localZone, padded, zoneOffset } from "../message/timestamp.ts";
import { zoneTable } from "./zone-table.ts";

const named = /* @__PURE__ */ new Map<string, ReadonlyMap<number, string>>();

/** The zone of a name that mappings give: `UTC` (or nothing), `Local`, or a name of the IANA database. */
export function zoneNamed(name: string): string {
  if (name === "" || name === "UTC") return "UTC";
  if (name === "Local") return localZone();
  if (abbreviationTable().has(name) || isCanonical(name)) return name;
  const forbidden = name.includes("..") || name.startsWith("/") || name.includes("\\");
  const reason = forbidden ? "time: invalid location name" : `unknown time zone ${name}`;
  throw new MappingError(`failed to parse timezone location name: ${reason}`);
}

/** A zone that is always `offset` seconds east of UTC, and goes by `name`, where that is not empty. */
export function fixedZone(offset: number, name: string): string {
  const magnitude = Math.abs(offset);
  const parts = [magnitude / 3600, (magnitude / 60) % 60, magnitude % 60];
  const clock = parts.map((part) => padded(Math.trunc(part), 2)).join(":");
  return `${offset < 0 ? "-" : "+"}${clock}${name === "" ? "" : ` ${name}`}`;
}

/** What clocks in `zone` go by at `seconds` since 1970: `CEST`, `+03`. Empty where only the offset is known. */
export function zoneAbbreviation(zone: string, seconds: number): string {
  if (zone === "UTC") return "UTC";
  if (isFixed(zone)) return zone.slice(zone.indexOf(" ") + 1 || zone.length);
  const offset = zoneOffset(zone, seconds);
  const known = abbreviationTable().get(zone)?.get(offset);
  if (known !== undefined) return known;
  // Before there were zones each place had its own mean time.
  if (offset % 900 !== 0) return "LMT";
  const digits = formatOffset(offset, "");
  return digits.endsWith("00") ? digits.slice(0, 3) : digits;
}

/** The offset `abbreviation` stands for in the zone of the process when its clocks show `seconds`. */
export function localOffset(abbreviation: string, seconds: number): number | undefined {
  const zone = localZone();
  const offsets = [...(abbreviationTable().get(zone) ?? [])]
    .filter(([, name]) => name === abbreviation)
    .map(([offset]) => offset);
  return offsets.find((offset) => zoneAbbreviation(zone, seconds - offset) === abbreviation) ?? offsets[0];
}

function isFixed(zone: string): boolean {
  return zone.startsWith("+") || zone.startsWith("-");
}

/** Whether `name` is a zone by exactly that name that came into being after the table was made. */
function isCanonical(name: string): boolean {
  if (isFixed(name)) return false;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone === name;
  } catch (error) {
    // The only way to ask for a zone is to use it.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function abbreviationTable(): ReadonlyMap<string, ReadonlyMap<number, string>> {
  if (named.size > 0) return named;
  for (const [abbreviations, zones] of zoneTable) {
    const byOffset = new Map(abbreviations.split(" ").flatMap(parseAbbreviation));
    for (const zone of zones.split(" ")) named.set(zone, byOffset);
  }
  return named;
}

/** `NST-3:30` */
function parseAbbreviation(text: string): readonly (readonly [offset: number, name: string])[] {
  const [, name, sign, hours, minutes = "0", seconds = "0"] =
    /^(\w+?)([+-])(\d+)(?::(\d+))?(?::(\d+))?$/.exec(text) ?? [];
  if (name === undefined) return [];
  const magnitude = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return [[sign === "-" ? -magnitude : magnitude, name]];
}
