// The processor and the output `sql`, which the reference engine keeps for old documents: `sql_raw` with other field
// names.

import type { Output, Processor } from "../../../component/component.ts";
import type { Probing } from "../../../probe/probe.ts";
import type { SqlOptions } from "../../../processors/generated/sql-options.ts";
import { openPostgres } from "../postgres.ts";
import { probeSql, type SqlProbeOptions } from "../probe.ts";
import { sqlRawOutput } from "../raw/raw.ts";
import { openSqlite } from "../sqlite.ts";
import { sqlRaw } from "../steps.ts";
import type { SqlOutputOptions } from "./generated/output-options.ts";

/** The processor `sql` with PostgreSQL. */
export function postgresOlder(options: SqlOptions): Processor {
  return sqlRaw(rawOf(options), openPostgres);
}

/** The processor `sql` with SQLite. */
export function sqliteOlder(options: SqlOptions): Processor {
  return sqlRaw(rawOf(options), openSqlite);
}

/** The output `sql` with PostgreSQL. */
export function postgresOlderOutput({ data_source_name: dsn, ...options }: SqlOutputOptions): Output {
  return sqlRawOutput({ ...options, dsn }, openPostgres);
}

/** The output `sql` with SQLite. */
export function sqliteOlderOutput({ data_source_name: dsn, ...options }: SqlOutputOptions): Output {
  return sqlRawOutput({ ...options, dsn }, openSqlite);
}

/** Like the probe of `sql_raw`. */
export function probeOlderSql(
  options: Omit<SqlProbeOptions, "dsn"> & { readonly data_source_name: string },
  probing: Probing,
): Promise<void> {
  const { data_source_name: dsn, ...others } = options;
  return probeSql({ ...others, dsn }, probing);
}

/** Converts the options. Rows are returned only if there is a codec. */
function rawOf({ data_source_name: dsn, result_codec = "none", ...options }: SqlOptions) {
  return { ...options, dsn, exec_only: result_codec === "none" };
}
