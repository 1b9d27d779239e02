// PostgreSQL behind kysely.

import { type Dialect, PostgresDialect } from "kysely";
import pg from "pg";
import type { Logger } from "../log.ts";

/** Connections at once. */
const poolSize = 10;
/** Milliseconds for a new connection. */
const connectTime = 10_000;
/** The type of `count(*)`, which the driver gives as text since it may be beyond what a number holds. */
const int8 = 20;

/** Connects when the first statement is run. */
export function postgresDialect(url: string, log: Logger): Dialect {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTime,
    application_name: "sluice",
    types: {
      getTypeParser: (type, format) =>
        type === int8 ? (text: string) => Number(text) : pg.types.getTypeParser(type, format),
    },
  });
  // A connection that breaks while nobody uses it; without a listener it would end the process.
  pool.on("error", (error) => log.warn("a connection to PostgreSQL broke", { reason: error.message }));
  return new PostgresDialect({ pool });
}
