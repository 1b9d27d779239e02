// PostgreSQL behind kysely.

import { type Dialect, PostgresDialect, type PostgresPoolClient } from "kysely";
import pg from "pg";
import { settlesWithin } from "../concurrency/promises.ts";
import type { Logger } from "../process/log.ts";

/** Connections at once. */
const poolSize = 10;
/** Milliseconds for a new connection. */
const connectTime = 10_000;
/** Milliseconds that statements under way have when the pool is closed: a server that is away does not delay the end. */
const lastTime = 1_500;
/** The type of `count(*)`, which the driver gives as text since it may be beyond what a number holds. */
const int8 = 20;

/** Nothing was heard of the server; the driver says so without a code. */
class ServerAway extends Error {
  override readonly name = "ServerAway";
  readonly code = "away";
}

/** Connects when the first statement is run; a statement that takes longer than `answerTime` milliseconds fails. */
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
  // For idle connections that break: without a listener the error would end the process.
  pool.on("error", (error) => log.warn("a connection to PostgreSQL broke", { reason: error.message }));
  // Connections in use are not listened to: the caller that waits for an answer gets the error.
  pool.on("connect", (client) => {
    client.on("error", (error) => log.debug("a connection to PostgreSQL broke", { reason: error.message }));
  });
  const connect = async () => guarded(await pool.connect().catch(fail));
  const end = async () => {
    await settlesWithin(pool.end(), lastTime);
  };
  return new PostgresDialect({ pool: { connect, end, options: {} } });
}

/** A connection that is given up with the first statement that the server did not answer: nothing more would be. */
function guarded(client: pg.PoolClient): PostgresPoolClient {
  let isLost = false;
  const query = async (text: string, values: readonly unknown[]) => {
    if (isLost) throw new ServerAway("The connection is lost");
    try {
      return await client.query(text, [...values]);
    } catch (error) {
      isLost = !(error instanceof pg.DatabaseError);
      return fail(error);
    }
  };
  return {
    // The other kind, of cursors, needs an option that is not given.
    query: query as unknown as PostgresPoolClient["query"],
    release: (isDiscarded) => client.release(isLost || isDiscarded),
  };
}

/** What has no code fails without the server's word. */
function fail(error: unknown): never {
  if (!(error instanceof Error) || "code" in error) throw error;
  throw new ServerAway(error.message, { cause: error });
}
