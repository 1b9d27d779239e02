// What both formats of syslog have in common: the priority, and reading from left to right.

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

  /** Takes what a sticky expression matches here. Throws a `MappingError` that says what is expected without a match. */
  take(pattern: RegExp, expected: string): string {
    const found = this.find(pattern);
    if (found === undefined) throw new MappingError(`expecting ${expected} [col ${this.#at}]`);
    return found;
  }

  /** The same, or `undefined`. */
  find(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  /** All that follows. */
  rest(): string {
    const rest = this.text.slice(this.#at);
    this.#at = this.text.length;
    return rest;
  }
}

/** What a line says, by the names of the reference. */
export type ParsedLine = Record<string, Value>;

const opening = /</y;
const priority = /(?:0|19[01]|1[0-8][0-9]|[1-9][0-9]?)(?=>)/y;
const closing = />/y;

/** The priority before a line: facility and severity in one number. */
export function readPriority(line: LogLine): ParsedLine {
  line.take(opening, "a priority value within angle brackets");
  const value = Number(line.take(priority, "a priority value in the range 1-191 or equal to 0"));
  line.take(closing, "a priority value within angle brackets");
  return { priority: value, facility: value >> 3, severity: value & 7 };
}

/** The text of a time of RFC 3339 in its shortest form. */
export function shortestTime(text: string): string {
  return formatTimestamp(parseTime(rfc3339Layout, text));
}
