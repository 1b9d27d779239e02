// Parses syslog lines of RFC 5424, section 6.

import type { Processor } from "../../component/component.ts";
import { MappingError } from "../../errors.ts";
import { decodeUtf8 } from "../../text/utf8.ts";
import { converting } from "../formats/converting.ts";
import type { ParseLogOptions } from "../generated/parse-log-options.ts";
import { LogLine, type ParsedLine, readPriority, shortestTime } from "./line.ts";

const version = /[1-9][0-9]{0,2}(?= )/y;
const space = / /y;
const time =
  /-(?= )|[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,6})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])(?= )/y;
const hostname = /[!-~]{1,255}(?= )/y;
const appname = /[!-~]{1,48}(?= )/y;
const procid = /[!-~]{1,128}(?= )/y;
const msgid = /[!-~]{1,32}(?= )/y;
const nothing = /-(?= |$)/y;
const elementStart = /\[/y;
const elementEnd = /\]/y;
/** Printable characters without `=`, space, `]` and the quote. */
const name = /[!#-<>-\\^-~]{1,32}/y;
const equals = /="/y;
const value = /(?:[^"\\\]]|\\.)*/sy;
const quote = /"/y;
const end = /(?!.)/sy;

/** Parses each message as an RFC 5424 line. */
export function parseRfc5424(_options: ParseLogOptions): Processor {
  return converting("parse_log", (message) => message.withDocument(readRfc5424(decodeUtf8(message.bytes()))));
}

/** Returns the fields of a line. Throws a `MappingError` if it is invalid. */
export function readRfc5424(text: string): ParsedLine {
  const line = new LogLine(text);
  const fields = readPriority(line);
  fields.version = Number(line.take(version, "a version value in the range 1-999"));
  line.take(space, "a space");
  const timestamp = line.take(time, "a RFC3339MICRO timestamp or a nil value");
  if (timestamp !== "-") fields.timestamp = shortestTime(timestamp);
  for (const [key, pattern, expected] of [
    ["hostname", hostname, "an hostname"],
    ["appname", appname, "an app-name"],
    ["procid", procid, "a procid"],
    ["msgid", msgid, "a msgid"],
  ] as const) {
    line.take(space, "a space");
    const found = line.take(pattern, `${expected} of US-ASCII characters or a nil value`);
    if (found !== "-") fields[key] = found;
  }
  line.take(space, "a space");
  if (line.find(nothing) === undefined) fields.structureddata = readData(line);
  if (line.find(end) !== undefined) return fields;
  line.take(space, "a structured data section of elements or a nil value");
  const content = line.rest();
  if (!content.isWellFormed()) throw new MappingError("expecting a message of UTF-8");
  return content === "" ? fields : { ...fields, message: content };
}

function readData(line: LogLine): ParsedLine {
  const elements = new Map<string, ParsedLine>();
  line.take(elementStart, "a structured data section of elements or a nil value");
  do {
    const id = line.take(name, "a structured data element id");
    if (elements.has(id)) throw new MappingError("duplicate structured data element id");
    const parameters: [string, string][] = [];
    while (line.find(elementEnd) === undefined) {
      line.take(space, "a structured data parameter");
      const key = line.take(name, "a structured data parameter");
      line.take(equals, "a structured data parameter");
      const written = line.take(value, "a structured data parameter");
      line.take(quote, "a structured data parameter");
      if (/\\[^"\\\]]/.test(written.replaceAll("\\\\", "")))
        throw new MappingError('expecting chars `]`, `"`, and `\\` to be escaped within param value');
      parameters.push([key, written.replace(/\\(.)/gs, "$1")]);
    }
    elements.set(id, Object.fromEntries(parameters));
  } while (line.find(elementStart) !== undefined);
  return Object.fromEntries(elements);
}
