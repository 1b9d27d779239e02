import type { Output } from "../../../component/component.ts";
import { openSqlite } from "../sqlite.ts";
import type { SqlInsertOutputOptions } from "./generated/output-options.ts";
import { sqlInsertOutput } from "./output.ts";

/** The output `sql_insert` with SQLite. */
export function sqliteInsertOutput(options: SqlInsertOutputOptions): Output {
  return sqlInsertOutput(options, openSqlite);
}
