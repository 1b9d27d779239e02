import { createReadStream } from "node:fs";
import type { Input } from "../../component/component.ts";
import { filesInput } from "../../component/files-input.ts";
import { GatewayError } from "../../errors.ts";
import { parseCsv } from "../../mapping/csv.ts";
import { readLines } from "../../message/lines.ts";
import { Message } from "../../message/message.ts";
import { isArray, type Value } from "../../message/value.ts";
import { decodeUtf8 } from "../../text/utf8.ts";
import { type CsvInputOptions, csvInputDefaults } from "./generated/input-options.ts";

/** Size of the longest record, in bytes. */
const longestRecord = 16 * 1024 * 1024;

/** Reads the records of files, `batch_count` at a time. */
export function csvInput(options: CsvInputOptions): Input {
  const settings = { ...csvInputDefaults, ...options };
  return filesInput(settings, async function* (path, metadata) {
    let batch: Message[] = [];
    for await (const document of documentsOf(path, settings)) {
      batch.push(Message.fromText("", metadata).withDocument(document));
      if (batch.length < settings.batch_count) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  });
}

type Settings = CsvInputOptions & Required<Pick<CsvInputOptions, keyof typeof csvInputDefaults>>;

/** Yields the records of a file: objects with the names in its first record, or arrays. */
async function* documentsOf(path: string, settings: Settings): AsyncGenerator<Value> {
  const { parse_header_row, expected_headers, expected_number_of_fields: expected } = settings;
  let count = expected === 0 ? undefined : expected;
  let header: readonly Value[] | undefined;
  for await (const fields of recordsOf(path, settings)) {
    count ??= fields.length;
    if (fields.length !== count)
      throw new GatewayError(422, `A record has ${fields.length} fields, not ${count}`);
    if (!parse_header_row) yield fields;
    else if (header !== undefined) {
      yield Object.fromEntries(header.map((name, index) => [String(name), fields[index] ?? null]));
    } else {
      header = fields;
      const isOther = expected_headers?.some((name, index) => name !== fields[index]) === true;
      if (isOther || (expected_headers?.length ?? fields.length) !== fields.length)
        throw new GatewayError(422, "The first record does not name the expected fields");
    }
  }
}

/** Yields the fields of each record. A record ends with a line, unless a quote is still open. */
async function* recordsOf(
  path: string,
  { delimiter, lazy_quotes }: Settings,
): AsyncGenerator<readonly Value[]> {
  let open = "";
  for await (const line of readLines(createReadStream(path), { max_buffer_size: longestRecord })) {
    const record = open === "" ? decodeUtf8(line) : `${open}\n${decodeUtf8(line)}`;
    if (record.length > longestRecord)
      throw new GatewayError(422, `A record is longer than ${longestRecord} bytes`);
    const isOpen = (record.split('"').length - 1) % 2 === 1;
    open = isOpen && !lazy_quotes ? record : "";
    if (open === "" && record !== "") yield fieldsOf(record, delimiter, lazy_quotes);
  }
  if (open !== "") yield fieldsOf(open, delimiter, lazy_quotes);
}

function fieldsOf(record: string, delimiter: string, lazyQuotes: boolean): readonly Value[] {
  const [fields = []] = parseCsv(record, "the file", false, delimiter, lazyQuotes);
  return isArray(fields) ? fields : [];
}
