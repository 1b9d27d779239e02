// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../../../component/component.ts";
import type { MappingFunction, QueryFunction } from "../../../../processors/functions.ts";

/**
 * Older form of the output `sql_raw`, for existing documents. The statements of a batch take effect together or not at all.
 */
export interface SqlOutputOptions {
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
   * Mapping that returns the array of parameters.
   */
  readonly args_mapping?: MappingFunction;
  /**
   * Maximum number of batches in flight.
   */
  readonly max_in_flight?: number;
  readonly batching?: Batching;
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
export const sqlOutputDefaults = {
  max_in_flight: 64,
  batching: {
    count: 0,
    byte_size: 0,
    period: 0,
    jitter: 0,
    processors: []
  }
} as const satisfies Partial<SqlOutputOptions>;
