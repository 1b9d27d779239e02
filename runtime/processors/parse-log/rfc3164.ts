// Parses BSD syslog lines: RFC 3164, section 4.

import type { Processor } from "../../component/component.ts";
import { MappingError } from "../../errors.ts";
import { zoneNamed } from "../../mapping/zones.ts";
import { formatTimestamp } from "../../message/timestamp.ts";
import { Timestamp } from "../../message/value.ts";
import { dayNumber } from "../../text/calendar.ts";
import { decodeUtf8 } from "../../text/utf8.ts";
import { converting } from "../formats/converting.ts";
import { type ParseLogOptions, parseLogDefaults } from "../generated/parse-log-options.ts";
import { LogLine, type ParsedLine, readPriority, shortestTime } from "./line.ts";

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const stamp =
  /(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (?: [1-9]|[12][0-9]|3[01]) (?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?= )/y;
const rfc3339 =
  /[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])(?= )/y;
const space = / /y;
const hostname = /[!-~]{1,255}(?= )/y;
/** Printable characters without space, colon and opening bracket. */
const tag = /^([!-9;-Z\\-~]{1,32})([:[])/;
const process = /^\[([ -~]*?)\]: (?=.)/s;
const openProcess = /^\[([ -~]*?)\]/;
/** Control characters, which no line may contain. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that end a message.
const control = /[\u0000-\u001f\u007f]/;

/** Parses each message as an RFC 3164 line. */
export function parseRfc3164(options: ParseLogOptions): Processor {
  const given = { ...parseLogDefaults, ...options };
  const year = given.default_year;
  const reading = {
    allowsRfc3339: given.allow_rfc3339,
    year: () => (year === "current" ? new Date().getFullYear() : Number(year)),
    zone: given.default_timezone === "" ? "UTC" : zoneNamed(given.default_timezone),
    bestEffort: given.best_effort,
  };
  return converting("parse_log", (message) =>
    message.withDocument(readRfc3164(decodeUtf8(message.bytes()), reading)),
  );
}

/** How times without a year or a zone are read. */
export interface Rfc3164Reading {
  readonly allowsRfc3339: boolean;
  readonly year: () => number;
  readonly zone: string;
  /** Whether to omit a message with control characters instead of failing. */
  readonly bestEffort: boolean;
}

/** Returns the fields of a line. Throws a `MappingError` if it is invalid. */
export function readRfc3164(text: string, reading: Rfc3164Reading): ParsedLine {
  const line = new LogLine(text);
  const fields = readPriority(line);
  const full = reading.allowsRfc3339 ? line.find(rfc3339) : undefined;
  fields.timestamp =
    full === undefined
      ? timeOf(line.take(stamp, `a Stamp${reading.allowsRfc3339 ? " or a RFC3339" : ""} timestamp`), reading)
      : shortestTime(full);
  line.take(space, "a space");
  fields.hostname = line.take(hostname, "an hostname (from 1 to max 255 US-ASCII characters)");
  line.take(space, "a space");
  const rest = line.rest();
  if (rest === "") throw new MappingError("expecting an alphanumeric tag (max 32 characters)");
  const content = readTag(rest, fields);
  if (!control.test(content)) return { ...fields, message: content };
  if (!reading.bestEffort) throw new MappingError("expecting a message without control characters");
  return fields;
}

/** Reads the tag and the process before a message. Returns the message. */
function readTag(rest: string, fields: ParsedLine): string {
  const [, name = "", next] = tag.exec(rest) ?? [];
  if (name === "") return rest;
  fields.appname = name;
  const after = rest.slice(name.length);
  if (next === ":") return after.startsWith(": ") && after.length > 2 ? after.slice(2) : rest;
  const whole = process.exec(after);
  const id = (whole ?? openProcess.exec(after))?.[1];
  if (id !== undefined && id !== "") fields.procid = id;
  return after.slice(whole === null ? 1 : whole[0].length);
}

function timeOf(text: string, { year, zone }: Rfc3164Reading): string {
  const [month = "", day = "", clock = ""] = text.split(/ +/);
  const [hour = 0, minute = 0, second = 0] = clock.split(":").map(Number);
  const number = months.indexOf(month) + 1;
  // Allow February 29: the line does not say whether its year is a leap year.
  const longest = number === 2 ? 29 : [4, 6, 9, 11].includes(number) ? 30 : 31;
  if (Number(day) > longest) throw new MappingError(`parsing time "${text}": day out of range`);
  const days = dayNumber(year(), number, 1) + Number(day) - 1;
  const seconds = days * 86400 + hour * 3600 + minute * 60 + second;
  return formatTimestamp(new Timestamp(BigInt(seconds), 0, zone));
}
