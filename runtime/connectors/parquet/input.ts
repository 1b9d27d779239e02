import { readFile } from "node:fs/promises";
import type { Input } from "../../component/component.ts";
import { filesInput } from "../../component/files-input.ts";
import { parquetRows } from "../../mapping/parquet.ts";
import { Message } from "../../message/message.ts";
import { type ParquetInputOptions, parquetInputDefaults } from "./generated/input-options.ts";

/**
 * Reads the rows of Parquet files, `batch_count` at a time. Holds a whole file in memory, and the rows of one row
 * group at a time.
 */
export function parquetInput(options: ParquetInputOptions): Input {
  const settings = { ...parquetInputDefaults, ...options, delete_on_finish: false };
  return filesInput(settings, async function* (path) {
    let batch: Message[] = [];
    for (const row of parquetRows(await readFile(path))) {
      batch.push(Message.fromText("").withDocument(row));
      if (batch.length < settings.batch_count) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  });
}
