import type { Input, Output } from "../../../component/component.ts";
import { openSqlite } from "../sqlite.ts";
import type { SqlRawInputOptions } from "./generated/input-options.ts";
import type { SqlRawOutputOptions } from "./generated/output-options.ts";
import { sqlRawInput } from "./input.ts";
import { sqlRawOutput } from "./output.ts";

/** The input `sql_raw` with SQLite. */
export function sqliteRawInput(options: SqlRawInputOptions): Input {
  return sqlRawInput(options, openSqlite);
}

/** The output `sql_raw` with SQLite. */
export function sqliteRawOutput(options: SqlRawOutputOptions): Output {
  return sqlRawOutput(options, openSqlite);
}
