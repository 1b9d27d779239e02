import { createReadStream } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { Input } from "../../component/component.ts";
import { filesInput } from "../../component/files-input.ts";
import { readCsvRecord, wrongNumberOfFields } from "../../mapping/csv.ts";
import { Message } from "../../message/message.ts";
import type { Value } from "../../message/value.ts";
import type { Logger } from "../../process/log.ts";
import { named, recordTexts } from "../../scanners/csv.ts";
import { type CsvInputOptions, csvInputDefaults } from "./generated/input-options.ts";

/** Reads the records of files, `batch_count` at a time. */
export function csvInput(options: CsvInputOptions): Input {
  const settings = { ...csvInputDefaults, ...options };
  return filesInput(settings, async function* (path, metadata, log) {
    let batch: Message[] = [];
    for await (const { document, header } of documentsOf(path, settings, log)) {
      const all = header === undefined ? metadata : new Map<string, Value>([["header", header], ...metadata]);
      batch.push(Message.fromText("", all).withDocument(document));
      if (batch.length < settings.batch_count) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  });
}

type Settings = CsvInputOptions & Required<Pick<CsvInputOptions, keyof typeof csvInputDefaults>>;

/** A record, and the names that its fields have. */
interface CsvDocument {
  readonly document: Value;
  readonly header?: readonly string[];
}

/**
 * Yields the records of a file: objects with the names in its first record, or arrays. Like the reference engine, skips
 * a record that is not CSV, and reads one with more or fewer fields than the first; `expected_number_of_fields` skips
 * it. If the record that names the fields is skipped, the next one does.
 */
async function* documentsOf(path: string, settings: Settings, log: Logger): AsyncGenerator<CsvDocument> {
  const { parse_header_row, expected_headers, expected_number_of_fields: expected, delimiter } = settings;
  const { lazy_quotes: lazyQuotes } = settings;
  let header: readonly string[] | undefined;
  for await (const { text, line } of recordTexts({ bytes: createReadStream(path) }, delimiter, lazyQuotes)) {
    const record = readCsvRecord(text, { delimiter, lazyQuotes }, line);
    const { fields } = record;
    let fault = record.fault;
    if (expected > 0) {
      if (fields.length !== expected) fault ??= wrongNumberOfFields(line);
    } else if (fields.length > 0) fault = undefined;
    if (fault === undefined && parse_header_row && header === undefined) {
      if (expected_headers === undefined || isDeepStrictEqual(expected_headers, fields)) {
        header = fields;
        continue;
      }
      fault = "expected_headers don't match file contents";
    }
    if (fault !== undefined) log.error("record cannot be read", { path, reason: fault });
    else if (header === undefined || header.length < fields.length) yield { document: fields };
    else yield { document: named(header, fields), header };
  }
}
