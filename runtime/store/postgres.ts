// The PostgreSQL dialect for kysely.

import { type Dialect, PostgresDialect, type PostgresPoolClient } from "kysely";
import pg from "pg";
import { settlesWithin } from "../concurrency/promises.ts";
import type { Logger } from "../process/log.ts";

/** The maximum number of connections. */
const poolSize = 10;
/** The timeout of a new connection, in milliseconds. */
const connectTime = 10_000;
/**
 * Milliseconds that running statements get when the pool closes, so that an unreachable server does not delay shutdown.
 */
const lastTime = 1_500;
/** The type of `count(*)`, which the driver returns as text because it may exceed the range of a number. */
const int8 = 20;

/** The server did not respond. The driver's error for this has no code. */
class ServerUnresponsive extends Error {
  override readonly name = "ServerUnresponsive";
  readonly code = "unresponsive";
}

/** Connects at the first statement. A statement that takes longer than `answerTime` milliseconds fails. */
export function postgresDialect(url: string, log: Logger, answerTime: number): Dialect {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTime,
    query_timeout: answerTime,
    application_name: "sluice",
    types: {
      getTypeParser: (type, format) =>
        type === int8 ? (text: string) => Number(text) : pg.types.getTypeParser(type, format),
    },
  });
  // Handle errors of idle connections: without a listener they would end the process.
  pool.on("error", (error) => log.warn("a connection to PostgreSQL broke", { reason: error.message }));
  // Errors of connections in use are only logged: the caller that waits for a result gets the error.
  pool.on("connect", (client) => {
    client.on("error", (error) => log.debug("a connection to PostgreSQL broke", { reason: error.message }));
  });
  const connect = async () => guarded(await pool.connect().catch(fail));
  const end = async () => {
    await settlesWithin(pool.end(), lastTime);
  };
  return new PostgresDialect({ pool: { connect, end, options: {} } });
}

/**
 * Wraps a connection, which is discarded after the first statement without a response: further ones would hang as well.
 */
function guarded(client: pg.PoolClient): PostgresPoolClient {
  let isLost = false;
  const query = async (text: string, values: readonly unknown[]) => {
    if (isLost) throw new ServerUnresponsive("The connection is lost");
    try {
      return await client.query(text, [...values]);
    } catch (error) {
      isLost = !(error instanceof pg.DatabaseError);
      return fail(error);
    }
  };
  return {
    // The overload for cursors requires an option that is not set.
    query: query as unknown as PostgresPoolClient["query"],
    release: (isDiscarded) => client.release(isLost || isDiscarded),
  };
}

/** Throws the error. Errors without a code did not come from the server. */
function fail(error: unknown): never {
  if (!(error instanceof Error) || "code" in error) throw error;
  throw new ServerUnresponsive(error.message, { cause: error });
}
