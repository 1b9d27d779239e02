// The input and the output `sql_raw`, with one function for each database, so that a gateway includes only those that
// its documents use.

import type { Input, Output } from "../../../component/component.ts";
import { parametersOf } from "../arguments.ts";
import type { OpenDatabase } from "../database.ts";
import { openPostgres } from "../postgres.ts";
import { readingInput } from "../reading.ts";
import { openSqlite } from "../sqlite.ts";
import { runEach } from "../statements.ts";
import { writingOutput } from "../writing.ts";
import type { SqlRawInputOptions } from "./generated/input-options.ts";
import { type SqlRawOutputOptions, sqlRawOutputDefaults } from "./generated/output-options.ts";

/** Reads the rows of a query. */
export function sqlRawInput(options: SqlRawInputOptions, open: OpenDatabase): Input {
  return readingInput(options, open, () => options.query);
}

/** Runs a statement for each message. */
export function sqlRawOutput(options: SqlRawOutputOptions, open: OpenDatabase): Output {
  const { query, args_mapping, max_in_flight } = { ...sqlRawOutputDefaults, ...options };
  return writingOutput(
    {
      address: options,
      maxInFlight: max_in_flight,
      prepare: (batch, index) => (args_mapping === undefined ? [] : parametersOf(args_mapping(batch, index))),
      write: (database, rows) => runEach(database, query, rows),
    },
    open,
  );
}

/** The input `sql_raw` with PostgreSQL. */
export function postgresRawInput(options: SqlRawInputOptions): Input {
  return sqlRawInput(options, openPostgres);
}

/** The output `sql_raw` with PostgreSQL. */
export function postgresRawOutput(options: SqlRawOutputOptions): Output {
  return sqlRawOutput(options, openPostgres);
}

/** The input `sql_raw` with SQLite. */
export function sqliteRawInput(options: SqlRawInputOptions): Input {
  return sqlRawInput(options, openSqlite);
}

/** The output `sql_raw` with SQLite. */
export function sqliteRawOutput(options: SqlRawOutputOptions): Output {
  return sqlRawOutput(options, openSqlite);
}
