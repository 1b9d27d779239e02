// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { MappingFunction } from "../../processors/functions.ts";

/**
 * The older form of `sql_raw`, for documents that have it: runs a statement for each message.
 */
export interface SqlOptions {
  /**
   * Kind of database.
   */
  readonly driver:
    | "postgres"
    | "sqlite"
    | "mysql"
    | "clickhouse"
    | "mssql"
    | "oracle"
    | "snowflake"
    | "trino"
    | "gocosmos"
    | "spanner"
    | "duckdb";
  /**
   * Address of the database: `postgres://user:password@host:5432/database`, which is encrypted unless `sslmode=disable` follows it, or `file:PATH` for SQLite, or `:memory:`.
   */
  readonly data_source_name: string;
  /**
   * Statement. Its parameters are `$1`, `$2` in PostgreSQL and `?` in SQLite, which `args_mapping` fills.
   */
  readonly query: string;
  /**
   * Whether values of messages may be part of the text of a statement, so that the sender of a message can run any statement.
   */
  readonly unsafe_dynamic_query?: boolean;
  /**
   * Mapping that makes the array of parameters.
   */
  readonly args_mapping?: MappingFunction;
  /**
   * What becomes of the rows: `none` leaves the message as it is, `json_array` puts them in its place.
   */
  readonly result_codec?: "none" | "json_array";
}

/** What the fields hold that a document leaves out. */
export const sqlDefaults = {
  unsafe_dynamic_query: false,
  result_codec: "none"
} as const satisfies Partial<SqlOptions>;
