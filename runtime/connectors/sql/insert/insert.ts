// The output `sql_insert`, with one function for each database, so that a gateway includes only those that its
// documents use.

import type { Output } from "../../../component/component.ts";
import { parametersOf } from "../arguments.ts";
import type { OpenDatabase } from "../database.ts";
import { openPostgres } from "../postgres.ts";
import { openSqlite } from "../sqlite.ts";
import { insertRows, rowOf } from "../statements.ts";
import { writingOutput } from "../writing.ts";
import { type SqlInsertOutputOptions, sqlInsertOutputDefaults } from "./generated/output-options.ts";

/** Inserts a row for each message. */
export function sqlInsertOutput(options: SqlInsertOutputOptions, open: OpenDatabase): Output {
  const { columns, args_mapping, max_in_flight } = { ...sqlInsertOutputDefaults, ...options };
  return writingOutput(
    {
      address: options,
      maxInFlight: max_in_flight,
      prepare: (batch, index) => rowOf(parametersOf(args_mapping(batch, index)), columns),
      write: (database, rows) => insertRows(database, options, rows),
    },
    open,
  );
}

/** The output `sql_insert` with PostgreSQL. */
export function postgresInsertOutput(options: SqlInsertOutputOptions): Output {
  return sqlInsertOutput(options, openPostgres);
}

/** The output `sql_insert` with SQLite. */
export function sqliteInsertOutput(options: SqlInsertOutputOptions): Output {
  return sqlInsertOutput(options, openSqlite);
}
