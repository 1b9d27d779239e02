// Parses CSV like the reader of the reference engine: RFC 4180, but blank lines are skipped, and each record must have
// as many fields as the first.

import { MappingError } from "../errors.ts";
import type { Value } from "../message/value.ts";
import { boolArgument, textArgument, textTarget } from "./arguments.ts";
import { failedOn } from "./failures.ts";

interface Settings {
  readonly delimiter: string;
  readonly lazyQuotes: boolean;
}

/** `.parse_csv(parse_header_row, delimiter, lazy_quotes)`: returns objects by the first record, or arrays. */
export function parseCsv(
  target: Value,
  from: string,
  parseHeaderRow: Value,
  delimiter: Value,
  lazyQuotes: Value,
): readonly Value[] {
  const call = "method 'parse_csv'";
  const withHeader = boolArgument(call, "parse_header_row", parseHeaderRow);
  const separator = textArgument(call, "delimiter", delimiter);
  const lazy = boolArgument(call, "lazy_quotes", lazyQuotes);
  if ([...separator].length !== 1) throw failedOn(from, "delimiter value must be exactly one character");
  if (/["\r\n\0\ufffd\udc80-\udcff]/.test(separator))
    throw failedOn(from, "csv: invalid field or comment delimiter");
  const records = readRecords(textTarget(target, from), { delimiter: separator, lazyQuotes: lazy }, from);
  const [header, ...rows] = records;
  if (header === undefined) throw failedOn(from, "zero records were parsed");
  if (!withHeader) return records;
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index] ?? null])));
}

/** A record. If it is invalid, `fault` is the reason, and `fields` are those before the fault. */
export interface CsvRecord {
  readonly fields: readonly string[];
  readonly fault?: string;
}

/** Reads one record from a text. `line`: the line of the source on which the text begins. */
export function readCsvRecord(text: string, settings: Settings, line: number): CsvRecord {
  const fields: string[] = [];
  try {
    new RecordReader(text, settings, line - 1).next(fields);
    return { fields };
  } catch (error) {
    if (error instanceof MappingError) return { fields, fault: error.message };
    throw error;
  }
}

/** Returns the error message for a record with a different number of fields than the others. */
export function wrongNumberOfFields(line: number): string {
  return `record on line ${line}: wrong number of fields`;
}

function readRecords(text: string, settings: Settings, from: string): readonly (readonly string[])[] {
  const reader = new RecordReader(text, settings);
  const records: (readonly string[])[] = [];
  try {
    for (let record = reader.next(); record !== undefined; record = reader.next()) {
      if (records[0] !== undefined && record.length !== records[0].length)
        throw new MappingError(wrongNumberOfFields(reader.start));
      records.push(record);
    }
  } catch (error) {
    if (error instanceof MappingError) throw failedOn(from, error.message);
    throw error;
  }
  return records;
}

class RecordReader {
  readonly #text: string;
  readonly #settings: Settings;
  #at = 0;
  #line: number;
  /** The line on which the last record begins, starting at 1. */
  start = 0;

  /** `before`: the number of lines of the source before the text. */
  constructor(text: string, settings: Settings, before = 0) {
    this.#text = text;
    this.#settings = settings;
    this.#line = before;
  }

  /** Returns the next record and adds its fields to `fields` as they are read. `undefined` at the end. */
  next(fields: string[] = []): readonly string[] | undefined {
    let first = this.#nextLine();
    // The last line is empty if it was a carriage return.
    while (first === "\n" || first === "") first = this.#nextLine();
    if (first === undefined) return undefined;
    let line: string = first;
    this.start = this.#line;
    let column = 0;
    for (;;) {
      const field: Field = line.startsWith('"', column)
        ? this.#quotedField(line, column)
        : this.#plainField(line, column);
      fields.push(field.text);
      line = field.line;
      if (field.end === undefined) return fields;
      column = field.end;
    }
  }

  /** Returns the next line with `\n` as its end. The last line is returned unchanged. */
  #nextLine(): string | undefined {
    if (this.#at >= this.#text.length) return undefined;
    this.#line++;
    const end = this.#text.indexOf("\n", this.#at);
    const raw = end < 0 ? this.#text.slice(this.#at) : this.#text.slice(this.#at, end + 1);
    this.#at += raw.length;
    if (raw.endsWith("\r\n")) return `${raw.slice(0, -2)}\n`;
    return end < 0 && raw.endsWith("\r") ? raw.slice(0, -1) : raw;
  }

  #plainField(line: string, column: number): Field {
    const { delimiter, lazyQuotes } = this.#settings;
    const found = line.indexOf(delimiter, column);
    const text = found < 0 ? line.slice(column).replace(/\n$/, "") : line.slice(column, found);
    const quote = text.indexOf('"');
    if (!lazyQuotes && quote >= 0) throw this.#fault(line, column + quote, 'bare " in non-quoted-field');
    return { text, line, end: found < 0 ? undefined : found + delimiter.length };
  }

  #quotedField(first: string, column: number): Field {
    const { delimiter, lazyQuotes } = this.#settings;
    let line = first;
    let at = column + 1;
    let text = "";
    for (;;) {
      const quote = line.indexOf('"', at);
      if (quote < 0) {
        text += line.slice(at);
        const following = this.#nextLine();
        if (following === undefined) {
          if (!lazyQuotes) throw this.#fault(line, line.length, 'extraneous or missing " in quoted-field');
          return { text, line, end: undefined };
        }
        line = following;
        at = 0;
        continue;
      }
      text += line.slice(at, quote);
      const rest = line.slice(quote + 1);
      if (rest.startsWith('"')) text += '"';
      else if (rest.startsWith(delimiter)) return { text, line, end: quote + 1 + delimiter.length };
      else if (rest === "" || rest === "\n") return { text, line, end: undefined };
      else if (lazyQuotes) text += '"';
      else throw this.#fault(line, quote, 'extraneous or missing " in quoted-field');
      at = quote + (rest.startsWith('"') ? 2 : 1);
    }
  }

  #fault(line: string, column: number, reason: string): MappingError {
    const place = `parse error on line ${this.#line}, column ${Buffer.byteLength(line.slice(0, column)) + 1}`;
    const led = this.start === this.#line ? place : `record on line ${this.start}; ${place}`;
    return new MappingError(`${led}: ${reason}`);
  }
}

interface Field {
  readonly text: string;
  /** The line on which the field ended. */
  readonly line: string;
  /** The index at which the next field of the record begins; `undefined` if this is the last one. */
  readonly end: number | undefined;
}
