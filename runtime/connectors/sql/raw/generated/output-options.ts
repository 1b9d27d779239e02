// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../../../component/component.ts";
import type { MappingFunction, QueryFunction } from "../../../../processors/functions.ts";

/**
 * Runs a statement for each message. The statements of a batch take effect together or not at all.
 */
export interface SqlRawOutputOptions {
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
  readonly dsn: string;
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
   * Maximum number of batches in flight.
   */
  readonly max_in_flight?: number;
  /**
   * Files with statements to run when the database is first connected. A failure is logged. `*` is a wildcard for parts of names.
   */
  readonly init_files?: readonly string[];
  /**
   * Statements to run when the database is first connected, after those of `init_files`. A failure is logged.
   */
  readonly init_statement?: string;
  /**
   * Time after which an unused connection to PostgreSQL is closed; 0 for no limit.
   */
  readonly conn_max_idle_time?: number;
  /**
   * Time after which a connection to PostgreSQL is replaced by another; 0 for no limit.
   */
  readonly conn_max_life_time?: number;
  /**
   * Maximum number of open connections to PostgreSQL; 0 means 10.
   */
  readonly conn_max_open?: number;
  readonly azure?: AzureLogin;
  /**
   * Uses a token of a cloud provider instead of the password.
   */
  readonly iam_enabled?: boolean;
  readonly batching?: Batching;
}
/**
 * Login to databases of Microsoft Azure, which is not supported.
 */
export interface AzureLogin {
  /**
   * Uses a token of Microsoft Entra instead of the password.
   */
  readonly entra_enabled?: boolean;
}
/**
 * Collects messages into larger batches. A message is acknowledged when its batch is acknowledged.
 */
export interface Batching {
  /**
   * Number of messages that completes a batch; 0 for no limit.
   */
  readonly count?: number;
  /**
   * Content size in bytes that completes a batch; 0 for no limit.
   */
  readonly byte_size?: number;
  /**
   * Time after its first message at which a batch is complete; empty for no limit.
   */
  readonly period?: number;
  /**
   * Maximum fraction of `period` that is randomly added to it.
   */
  readonly jitter?: number;
  /**
   * Query that says whether a message is the last of its batch.
   */
  readonly check?: QueryFunction;
  /**
   * Processors that run on complete batches.
   */
  readonly processors?: readonly Processor[];
}

/** What the fields hold that a document leaves out. */
export const sqlRawOutputDefaults = {
  unsafe_dynamic_query: false,
  max_in_flight: 64,
  conn_max_idle_time: 0,
  conn_max_life_time: 0,
  conn_max_open: 0,
  azure: {
    entra_enabled: false
  },
  iam_enabled: false,
  batching: {
    count: 0,
    byte_size: 0,
    period: 0,
    jitter: 0,
    processors: []
  }
} as const satisfies Partial<SqlRawOutputOptions>;
