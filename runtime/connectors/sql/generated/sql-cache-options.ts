// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Stores values in a table, one row for each key. Values do not expire, even if they are written with a TTL.
 */
export interface SqlCacheOptions {
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
   * Table, optionally preceded by a schema.
   */
  readonly table: string;
  /**
   * Column of the keys, which must be unique.
   */
  readonly key_column: string;
  /**
   * Column of the values.
   */
  readonly value_column: string;
  /**
   * Text to append to the statement that writes a value, so that it replaces an existing value.
   */
  readonly set_suffix?: string;
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

/** What the fields hold that a document leaves out. */
export const sqlCacheDefaults = {
  conn_max_idle_time: 0,
  conn_max_life_time: 0,
  conn_max_open: 0,
  azure: {
    entra_enabled: false
  },
  iam_enabled: false
} as const satisfies Partial<SqlCacheOptions>;
