// The input `sql_select`, with one function for each database, so that a gateway includes only those that its
// documents use.

import type { Input } from "../../../component/component.ts";
import type { OpenDatabase } from "../database.ts";
import { openPostgres } from "../postgres.ts";
import { readingInput } from "../reading.ts";
import { openSqlite } from "../sqlite.ts";
import { selectText } from "../statements.ts";
import type { SqlSelectInputOptions } from "./generated/input-options.ts";

/** Reads the rows of a table. */
export function sqlSelectInput(options: SqlSelectInputOptions, open: OpenDatabase): Input {
  return readingInput(options, open, (database) => selectText(options, database));
}

/** The input `sql_select` with PostgreSQL. */
export function postgresSelectInput(options: SqlSelectInputOptions): Input {
  return sqlSelectInput(options, openPostgres);
}

/** The input `sql_select` with SQLite. */
export function sqliteSelectInput(options: SqlSelectInputOptions): Input {
  return sqlSelectInput(options, openSqlite);
}
