// Brings the tables of a store up to date.

import { type Kysely, sql, type Transaction } from "kysely";
import { GatewayError } from "../errors.ts";
import { migrations } from "./migrations/migrations.ts";
import type { Tables } from "./tables.ts";

/** Any number that no other program locks by. */
const lock = 5_711_922;

/**
 * Runs the migrations that are missing, all of them or none, and gives their names; others that open the store at the
 * same moment wait. Rejects with a `GatewayError` when a later version has been there, whose tables this one does not know.
 */
export function migrate(database: Kysely<Tables>, kind: "sqlite" | "postgres"): Promise<readonly string[]> {
  return database.transaction().execute(async (connection) => {
    if (kind === "postgres") await sql`select pg_advisory_xact_lock(${lock})`.execute(connection);
    const done = await namesOf(connection);
    const known = new Set(migrations.map(({ name }) => name));
    if (done.some((name) => !known.has(name))) {
      throw new GatewayError(503, "its tables were made by a later version of the gateway");
    }
    const missing = migrations.filter(({ name }) => !done.includes(name));
    for (const { name, up } of missing) {
      await up(connection as Transaction<unknown>); // a migration knows the tables of its own time
      await connection.insertInto("migrations").values({ name }).execute();
    }
    return missing.map(({ name }) => name);
  });
}

async function namesOf(connection: Transaction<Tables>): Promise<readonly string[]> {
  await connection.schema
    .createTable("migrations")
    .ifNotExists()
    .addColumn("name", "text", (column) => column.primaryKey())
    .execute();
  const rows = await connection.selectFrom("migrations").select("name").execute();
  return rows.map(({ name }) => name);
}
