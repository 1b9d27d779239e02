import { createReadStream } from "node:fs";
import { glob, stat, unlink } from "node:fs/promises";
import type { Input, InputContext } from "../../component/component.ts";
import { createRedelivery, type Redelivery } from "../../component/redelivery.ts";
import { sourceFrom } from "../../conditions/blockage.ts";
import { GatewayError } from "../../errors.ts";
import { parseCsv } from "../../mapping/csv.ts";
import { readLines } from "../../message/lines.ts";
import { Message } from "../../message/message.ts";
import { isArray, type Value } from "../../message/value.ts";
import { splitCommas } from "../../text/trim.ts";
import { decodeUtf8 } from "../../text/utf8.ts";
import { type CsvInputOptions, csvInputDefaults } from "./generated/input-options.ts";

/** Bytes of the longest record. */
const longestRecord = 16 * 1024 * 1024;

/**
 * Reads files in the order of `paths`, and what a pattern stands for in the order of names. The next batch is read once the
 * one before it is confirmed; each start begins with the first file again.
 */
export function csvInput(options: CsvInputOptions): Input {
  const settings = { ...csvInputDefaults, ...options };
  const closing = new AbortController();
  let running: Promise<void> | undefined;

  async function readFiles(files: readonly string[], context: InputContext): Promise<void> {
    const redelivery = createRedelivery(context, sourceFrom({ path: "path" }));
    for (const path of files) {
      if (!(await deliverFile(path, redelivery))) return;
      if (settings.delete_on_finish) await unlink(path);
    }
    context.reportEnd?.();
  }

  /** Whether all of the file was delivered. */
  async function deliverFile(path: string, redelivery: Redelivery): Promise<boolean> {
    const seconds = Math.floor((await stat(path)).mtime.getTime() / 1000);
    const metadata = new Map<string, Value>([
      ["path", path],
      ["mod_time_unix", seconds],
      ["mod_time", new Date(seconds * 1000).toISOString().replace(".000Z", "Z")],
    ]);
    let batch: Message[] = [];
    const flush = async () => {
      const full = batch;
      batch = [];
      return full.length === 0 || (await redelivery.deliver(full, closing.signal)) !== undefined;
    };
    for await (const document of documentsOf(path, settings)) {
      batch.push(Message.fromText("", metadata).withDocument(document));
      if (batch.length >= settings.batch_count && !(await flush())) return false;
    }
    return flush();
  }

  return {
    async start(given) {
      const context: InputContext = settings.auto_replay_nacks ? given : { ...given, maxAttempts: 1 };
      const files = await findFiles(settings.paths);
      running = readFiles(files, context).catch((error: unknown) => {
        context.log.error("file cannot be read", { error });
        context.beginOutage?.("file cannot be read");
      });
    },
    async close() {
      closing.abort();
      await running;
    },
  };
}

type Settings = CsvInputOptions & Required<Pick<CsvInputOptions, keyof typeof csvInputDefaults>>;

/** Every file by its path. Rejects where there is none at all. */
async function findFiles(paths: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths.flatMap(splitCommas)) {
    const matches: string[] = [];
    for await (const match of glob(path)) matches.push(match);
    if (matches.length === 0) throw new GatewayError(500, `File ${path} not found`);
    found.push(...matches.sort());
  }
  return [...new Set(found)];
}

/** The records of a file: objects by its first record, or arrays. */
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

/** The fields of each record. A record ends with a line, unless a quote is open there. */
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
