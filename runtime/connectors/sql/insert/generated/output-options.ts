// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../../../component/component.ts";
import type { MappingFunction, QueryFunction } from "../../../../processors/functions.ts";

/**
 * Inserts a row for each message. The rows of a batch are inserted together or not at all.
 */
export interface SqlInsertOutputOptions {
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
   * Table; a schema may stand before it.
   */
  readonly table: string;
  /**
   * Columns to write.
   */
  readonly columns: readonly string[];
  /**
   * Mapping that makes the array of parameters.
   */
  readonly args_mapping: MappingFunction;
  /**
   * Text in front of the statement.
   */
  readonly prefix?: string;
  /**
   * Text behind the statement.
   */
  readonly suffix?: string;
  /**
   * Maximum number of batches in flight.
   */
  readonly max_in_flight?: number;
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
  readonly batching?: Batching;
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
/**
 * Collects messages into larger batches. Each is acknowledged when the batch it went into is.
 */
export interface Batching {
  /**
   * Messages that complete a batch; 0 for any number.
   */
  readonly count?: number;
  /**
   * Bytes of content that complete a batch; 0 for any number.
   */
  readonly byte_size?: number;
  /**
   * How long after its first message a batch is complete; empty for any time.
   */
  readonly period?: number;
  /**
   * Up to which share of `period` is added to it, at random.
   */
  readonly jitter?: number;
  /**
   * Query that says whether a message is the last of its batch.
   */
  readonly check?: QueryFunction;
  /**
   * What runs on complete batches.
   */
  readonly processors?: readonly Processor[];
}

/** What the fields hold that a document leaves out. */
export const sqlInsertOutputDefaults = {
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
} as const satisfies Partial<SqlInsertOutputOptions>;
