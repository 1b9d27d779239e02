// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { MappingFunction } from "../../processors/functions.ts";

/**
 * Deprecated form of `sql_raw`: runs a statement for each message.
 */
export interface SqlOptions {
  /**
   * Database driver.
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
   * URL of the database: `postgres://user:password@host:5432/database`, which is encrypted unless `sslmode=disable` is appended, or `file:PATH` for SQLite, or `:memory:`.
   */
  readonly data_source_name: string;
  /**
   * SQL statement. Its parameters are `$1`, `$2` in PostgreSQL and `?` in SQLite; `args_mapping` provides their values.
   */
  readonly query: string;
  /**
   * Allows the text of the statement to contain values of messages. The sender of a message can then run any statement.
   */
  readonly unsafe_dynamic_query?: boolean;
  /**
   * Mapping that returns the array of parameters.
   */
  readonly args_mapping?: MappingFunction;
  /**
   * Use of the rows: `none` leaves the message unchanged, `json_array` replaces it with the rows.
   */
  readonly result_codec?: "none" | "json_array";
}

/** What the fields hold that a document leaves out. */
export const sqlDefaults = {
  unsafe_dynamic_query: false,
  result_codec: "none"
} as const satisfies Partial<SqlOptions>;
