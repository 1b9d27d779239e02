import type { Input } from "../../../component/component.ts";
import { openSqlite } from "../sqlite.ts";
import type { SqlSelectInputOptions } from "./generated/input-options.ts";
import { sqlSelectInput } from "./input.ts";

/** The input `sql_select` with SQLite. */
export function sqliteSelectInput(options: SqlSelectInputOptions): Input {
  return sqlSelectInput(options, openSqlite);
}
