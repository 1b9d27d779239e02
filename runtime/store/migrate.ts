// Migrates the tables of a store to the current version.

import { type Kysely, sql, type Transaction } from "kysely";
import { GatewayError } from "../errors.ts";
import { portalTables } from "./migrations/0001-portal-tables.ts";
import { webhookAttempts, webhookDeliveryTables } from "./migrations/0002-webhook-deliveries.ts";
import { portalSessionTable } from "./migrations/0003-portal-sessions.ts";
import { portalMailTable } from "./migrations/0004-portal-mails.ts";
import { portalLinkTable } from "./migrations/0005-portal-links.ts";
import { portalSignOnTable } from "./migrations/0006-portal-sign-ons.ts";
import { portalTeamTables } from "./migrations/0007-portal-teams.ts";
import { portalAuditNames, portalAuditTable } from "./migrations/0008-portal-audit.ts";
import { portalRequestNames } from "./migrations/0011-portal-request-names.ts";
import type { Migration } from "./migrations/migration.ts";
import type { MigrationTable } from "./tables.ts";

/** The key of the advisory lock: an arbitrary number that no other program uses. */
const lock = 5_711_922;

/** The tables of a program, separate from those of other programs in the same database. */
export interface StoreSchema {
  /** The migrations, ordered by name. */
  readonly migrations: readonly Migration[];
  /** The name of the table that records the completed migrations. */
  readonly notedIn: string;
}

/**
 * Runs the missing migrations, all of them or none, and returns their names. Processes that open the store concurrently
 * wait. Rejects with a `GatewayError` if the tables are from a later version.
 */
export function migrate<T>(
  database: Kysely<T>,
  kind: "sqlite" | "postgres",
  { migrations, notedIn }: StoreSchema,
): Promise<readonly string[]> {
  return database.transaction().execute(async (connection) => {
    if (kind === "postgres") await sql`select pg_advisory_xact_lock(${lock})`.execute(connection);
    // Migrations change the set of tables, so each of these two types knows only its own tables.
    const noting = connection as Transaction<unknown> as Transaction<Record<string, MigrationTable>>;
    const done = await namesOf(noting, notedIn);
    const known = new Set(migrations.map(({ name }) => name));
    if (done.some((name) => !known.has(name))) {
      throw new GatewayError(503, "its tables were created by a later version of the gateway");
    }
    const missing = migrations.filter(({ name }) => !done.includes(name));
    for (const { name, up } of missing) {
      await up(connection as Transaction<unknown>, kind); // a migration only knows the tables of its own version
      await noting.insertInto(notedIn).values({ name }).execute();
    }
    return missing.map(({ name }) => name);
  });
}

async function namesOf(
  connection: Transaction<Record<string, MigrationTable>>,
  notedIn: string,
): Promise<readonly string[]> {
  await connection.schema
    .createTable(notedIn)
    .ifNotExists()
    .addColumn("name", "text", (column) => column.primaryKey())
    .execute();
  const rows = await connection.selectFrom(notedIn).select("name").execute();
  return rows.map(({ name }) => name);
}

/** The migrations, ordered by name. A released migration never changes. */
export const migrations: readonly Migration[] = [
  portalTables,
  webhookDeliveryTables,
  portalSessionTable,
  portalMailTable,
  portalLinkTable,
  portalSignOnTable,
  portalTeamTables,
  portalAuditTable,
  portalAuditNames,
  webhookAttempts,
  portalRequestNames,
];
