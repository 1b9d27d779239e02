// Code shared by both syslog formats: reading from left to right, and the priority.

import { MappingError } from "../../errors.ts";
import { rfc3339Layout } from "../../mapping/time-layouts.ts";
import { parseTime } from "../../mapping/time-parsing.ts";
import { formatTimestamp } from "../../message/timestamp.ts";
import type { Value } from "../../message/value.ts";

/** A line that is read from left to right. */
export class LogLine {
  readonly text: string;
  #at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /**
   * Returns the match of a sticky expression here. If it does not match, throws a `MappingError` that names what is
   * expected.
   */
  take(pattern: RegExp, expected: string): string {
    const found = this.find(pattern);
    if (found === undefined) throw new MappingError(`expecting ${expected} [col ${this.#at}]`);
    return found;
  }

  /** Like `take`, but returns `undefined` if there is no match. */
  find(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  /** Returns the rest of the line. */
  rest(): string {
    const rest = this.text.slice(this.#at);
    this.#at = this.text.length;
    return rest;
  }
}

/** The fields of a line, with the names of the reference engine. */
export type ParsedLine = Record<string, Value>;

const opening = /</y;
const priority = /0|19[01]?|1[0-8]?[0-9]?|[2-9][0-9]?/y;
const closing = />/y;

/** Reads the priority before a line: facility and severity in one number. */
export function readPriority(line: LogLine): ParsedLine {
  line.take(opening, "a priority value within angle brackets");
  const range = "a priority value in the range 1-191 or equal to 0";
  const value = Number(line.take(priority, range));
  line.take(closing, range);
  return { priority: value, facility: value >> 3, severity: value & 7 };
}

/** Returns an RFC 3339 time in its shortest form. */
export function shortestTime(text: string): string {
  return formatTimestamp(parseTime(rfc3339Layout, text));
}
