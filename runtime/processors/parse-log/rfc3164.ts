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
  /(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (?: [1-9]|[12][0-9]|3[01]) (?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]/y;
const digit = /(?=[0-9])/y;
const dateTime =
  /[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]/y;
const offset = /Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9]/y;
const space = / /y;
const hostname = /[!-~]{1,255}(?= )/y;
/** Where a message begins: at a character that is not a control character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that end a message.
const start = /(?=[^\u0000-\u001f\u007f])/y;
/** Printable characters without space, colon and opening bracket. */
const tag = /^([!-9;-Z\\-~]{1,32})([:[])/;
const process = /^\[(.*?)\]: (?=.)/s;
const openProcess = /^\[([^\]]*)\]/;
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
  /** Whether a line that does not follow the format may keep the fields before the fault. */
  readonly bestEffort: boolean;
}

/** Returns the fields of a line. Throws a `MappingError` if it is invalid. */
export function readRfc3164(text: string, reading: Rfc3164Reading): ParsedLine {
  const line = new LogLine(text);
  const fields = readPriority(line);
  try {
    readFields(line, reading, fields);
  } catch (error) {
    if (!(reading.bestEffort && error instanceof IncompleteLine)) throw error;
  }
  return fields;
}

/**
 * A fault after which `best_effort` keeps the fields before it. As in the reference, these are faults in the time of RFC
 * 3339 except its offset, a time that no space follows, and control characters in a message.
 */
class IncompleteLine extends MappingError {}

/** Adds the fields after the priority, up to the first fault. */
function readFields(line: LogLine, reading: Rfc3164Reading, fields: ParsedLine): void {
  fields.timestamp = readTime(line, reading);
  setUnlessNil(
    fields,
    "hostname",
    line.take(hostname, "an hostname (from 1 to max 255 US-ASCII characters)"),
  );
  line.take(space, "a space");
  line.take(start, "an alphanumeric tag (max 32 characters)");
  const content = readTag(line.rest(), fields);
  if (control.test(content)) throw new IncompleteLine("expecting a message without control characters");
  if (content !== "") fields.message = content;
}

/** Reads a time and the space after it. */
function readTime(line: LogLine, reading: Rfc3164Reading): string {
  if (!reading.allowsRfc3339 || line.find(digit) === undefined) {
    const time = line.take(stamp, "a Stamp timestamp");
    if (line.find(space) === undefined) throw new IncompleteLine("expecting a space after the timestamp");
    return timeOf(time, reading);
  }
  const time = line.find(dateTime);
  if (time === undefined) throw new IncompleteLine("expecting a RFC3339 timestamp");
  const zone = line.take(offset, "a Stamp or a RFC3339 timestamp");
  if (line.find(space) === undefined) throw new IncompleteLine("expecting a space after the timestamp");
  return shortestTime(time + zone);
}

/** Reads the tag and the process before a message. Returns the message. */
function readTag(rest: string, fields: ParsedLine): string {
  const [, name = "", next] = tag.exec(rest) ?? [];
  if (name === "") return rest;
  setUnlessNil(fields, "appname", name);
  const after = rest.slice(name.length);
  if (next === ":") return after.startsWith(": ") && after.length > 2 ? after.slice(2) : rest;
  const whole = process.exec(after);
  const id = (whole ?? openProcess.exec(after))?.[1];
  if (id !== undefined && id !== "") setUnlessNil(fields, "procid", id);
  return after === "[" ? rest : after.slice(whole === null ? 1 : whole[0].length);
}

/** Sets a field unless its text is the nil value of syslog. */
function setUnlessNil(fields: ParsedLine, name: string, text: string): void {
  if (text !== "-") fields[name] = text;
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
