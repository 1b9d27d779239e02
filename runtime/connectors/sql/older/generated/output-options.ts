// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../../../component/component.ts";
import type { MappingFunction, QueryFunction } from "../../../../processors/functions.ts";

/**
 * Older form of the output `sql_raw`, for existing documents. The statements of a batch take effect together or not at all.
 */
export interface SqlOutputOptions {
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
   * Mapping that makes the array of parameters.
   */
  readonly args_mapping?: MappingFunction;
  /**
   * Maximum number of batches in flight.
   */
  readonly max_in_flight?: number;
  readonly batching?: Batching;
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
