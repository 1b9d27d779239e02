// Rows of CSV (RFC 4180, section 2), with the liberties of the reference engine.

import { StringDecoder } from "node:string_decoder";
import type { ScannedSource, Scanner } from "../component/scanner.ts";
import { GatewayError } from "../errors.ts";
import { type CsvRecord, readCsvRecord, wrongNumberOfFields } from "../mapping/csv.ts";
import { Message } from "../message/message.ts";
import { asBuffer } from "../text/utf8.ts";
import { largestMessage, unfitSource } from "./gathered.ts";
import { type CsvScannerOptions, csvScannerDefaults } from "./generated/csv-scanner-options.ts";

type Settings = CsvScannerOptions & Required<Pick<CsvScannerOptions, keyof typeof csvScannerDefaults>>;

/**
 * Makes a message of each row, as an object by the header row or as an array. The metadata `csv_row` is the row number.
 */
export function csvScanner(options: CsvScannerOptions): Scanner {
  const settings: Settings = { ...csvScannerDefaults, ...options };
  return { scan: (source) => scanRows(source, settings) };
}

async function* scanRows(source: ScannedSource, settings: Settings): AsyncGenerator<Message> {
  const { parse_header_row, expected_headers: expected = [], continue_on_error } = settings;
  const reader = new RowReader(settings);
  let header: readonly string[] | undefined;
  let row = 0;
  const delimiter = settings.custom_delimiter || ",";
  for await (const { text, line } of recordTexts(source, delimiter, settings.lazy_quotes)) {
    const { fields, fault } = reader.read(text, line);
    if (fault !== undefined && (!continue_on_error || (parse_header_row && header === undefined)))
      throw unfitSource(fault);
    if (parse_header_row && header === undefined) {
      if (expected.length > 0 && expected.join("\n") !== fields.join("\n")) {
        throw unfitSource("`expected_headers` are not those of the source");
      }
      header = fields;
      continue;
    }
    const names = header;
    const value = names === undefined ? fields : named(names, fields);
    const message = Message.fromText("", new Map([["csv_row", row]])).withDocument(value);
    yield fault === undefined ? message : message.withFailure(new GatewayError(422, fault));
    row += 1;
  }
}

/** Returns an object of the fields, which may be fewer than the names. */
export function named(names: readonly string[], fields: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(fields.slice(0, names.length).map((field, index) => [names[index] ?? "", field]));
}

/** Reads the fields of a record. Every record has the expected number of fields, or as many as the first one. */
class RowReader {
  readonly #settings: Settings;
  #fields: number;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#fields = settings.expected_number_of_fields;
  }

  read(text: string, line: number): CsvRecord {
    const { custom_delimiter: delimiter, lazy_quotes: lazyQuotes } = this.#settings;
    const record = readCsvRecord(text, { delimiter: delimiter || ",", lazyQuotes }, line);
    const { fields, fault } = record;
    // As in the reference engine, also the fields before a fault say how many are expected.
    if (this.#fields === 0) this.#fields = fields.length;
    if (fault !== undefined) return record;
    const isFit = this.#fields < 0 || fields.length === this.#fields;
    return isFit ? record : { fields, fault: wrongNumberOfFields(line) };
  }
}

/** The text of a record, and the line on which it begins. */
interface RecordText {
  readonly text: string;
  readonly line: number;
}

/** Yields the text of each record, up to a line feed outside of quoted fields. Skips empty lines. */
export async function* recordTexts(
  { bytes, keep }: Omit<ScannedSource, "name">,
  delimiter: string,
  lazyQuotes: boolean,
): AsyncGenerator<RecordText> {
  const decoder = new StringDecoder("utf8");
  // The earlier part of the record. It is only appended to: reading a character of a concatenated string copies all of
  // it.
  let held = "";
  let state: "start" | "plain" | "quoted" | "quote" | "broken" = "start";
  let [line, lines] = [1, 0];
  for await (const chunk of bytes) {
    const text = decoder.write(asBuffer(chunk));
    let begin = 0;
    for (let at = 0; at < text.length; at++) {
      const character = text.charAt(at);
      if (character === "\n") lines++;
      if (state === "quoted") state = character === '"' ? "quote" : "quoted";
      else if (character === "\n") {
        const record = held + text.slice(begin, at + 1);
        held = "";
        begin = at + 1;
        state = "start";
        if (!isEmpty(record)) yield { text: record, line };
        line = lines + 1;
      } else if (state === "quote") {
        if (character === '"') state = "quoted";
        else if (character === delimiter) state = "start";
        else if (character !== "\r") state = lazyQuotes ? "quoted" : "broken";
      } else if (state !== "broken") {
        if (character === delimiter) state = "start";
        else if (character !== '"') state = "plain";
        // A record with a misplaced quote ends with its line.
        else if (state === "start") state = "quoted";
        else if (!lazyQuotes) state = "broken";
      }
    }
    held += text.slice(begin);
    if (held.length > largestMessage)
      throw unfitSource(`A record is longer than ${largestMessage} characters`);
    await keep?.(held.length);
  }
  held += decoder.end();
  if (!isEmpty(held)) yield { text: held, line };
}

function isEmpty(record: string): boolean {
  return record === "" || record === "\n" || record === "\r\n" || record === "\r";
}
