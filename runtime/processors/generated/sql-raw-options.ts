// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { MappingFunction } from "../../processors/functions.ts";

/**
 * Runs a statement for each message and puts its rows, as an array of objects, in its place.
 */
export interface SqlRawOptions {
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
  readonly dsn: string;
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
   * Whether the message stays as it is.
   */
  readonly exec_only?: boolean;
  /**
   * Files with statements to run when the database is first connected; a failure is logged. `*` stands for parts of names.
   */
  readonly init_files?: readonly string[];
  /**
   * Statements to run then, after those of `init_files`; a failure is logged.
   */
  readonly init_statement?: string;
  /**
   * How long a connection of PostgreSQL may be unused before it is closed; 0 for any time.
   */
  readonly conn_max_idle_time?: number;
  /**
   * How long a connection of PostgreSQL may be used before another takes its place; 0 for any time.
   */
  readonly conn_max_life_time?: number;
  /**
   * Connections to PostgreSQL at once; 0 for 10.
   */
  readonly conn_max_open?: number;
  readonly azure?: AzureLogin;
  /**
   * Whether a token of a cloud takes the place of the password.
   */
  readonly iam_enabled?: boolean;
}
/**
 * Logins at databases of Microsoft Azure, which are not there.
 */
export interface AzureLogin {
  /**
   * Whether a token of Microsoft Entra takes the place of the password.
   */
  readonly entra_enabled?: boolean;
}

/** What the fields hold that a document leaves out. */
export const sqlRawDefaults = {
  unsafe_dynamic_query: false,
  exec_only: false,
  conn_max_idle_time: 0,
  conn_max_life_time: 0,
  conn_max_open: 0,
  azure: {
    entra_enabled: false
  },
  iam_enabled: false
} as const satisfies Partial<SqlRawOptions>;
