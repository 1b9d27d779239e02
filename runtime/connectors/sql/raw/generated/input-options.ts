// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { MappingFunction } from "../../../../processors/functions.ts";

/**
 * Runs a query and reads its rows, each as a message, then ends.
 */
export interface SqlRawInputOptions {
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
   * Mapping that makes the array of parameters.
   */
  readonly args_mapping?: MappingFunction;
  /**
   * Whether a message that could not be delivered is retried until it is delivered. Otherwise it is dropped, and the drop is logged.
   */
  readonly auto_replay_nacks?: boolean;
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
export const sqlRawInputDefaults = {
  auto_replay_nacks: true,
  conn_max_idle_time: 0,
  conn_max_life_time: 0,
  conn_max_open: 0,
  azure: {
    entra_enabled: false
  },
  iam_enabled: false
} as const satisfies Partial<SqlRawInputOptions>;
