// Brings the tables of a store up to date.

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
import type { Migration } from "./migrations/migration.ts";
import type { MigrationTable } from "./tables.ts";

/** Any number that no other program locks by. */
const lock = 5_711_922;

/** The tables of one program, apart from those of others in the same database. */
export interface Schema {
  /** In the order of their names. */
  readonly migrations: readonly Migration[];
  /** The table that notes which of them were run. */
  readonly notedIn: string;
}

/**
 * Runs the migrations that are missing, all of them or none, and gives their names; others that open the store at the
 * same moment wait. Rejects with a `GatewayError` when a later version has been there, whose tables this one does not know.
 */
export function migrate<T>(
  database: Kysely<T>,
  kind: "sqlite" | "postgres",
  { migrations, notedIn }: Schema,
): Promise<readonly string[]> {
  return database.transaction().execute(async (connection) => {
    if (kind === "postgres") await sql`select pg_advisory_xact_lock(${lock})`.execute(connection);
    // Which tables there are is what migrations change: of these two types each knows its own tables only.
    const noting = connection as Transaction<unknown> as Transaction<Record<string, MigrationTable>>;
    const done = await namesOf(noting, notedIn);
    const known = new Set(migrations.map(({ name }) => name));
    if (done.some((name) => !known.has(name))) {
      throw new GatewayError(503, "its tables were made by a later version of the gateway");
    }
    const missing = migrations.filter(({ name }) => !done.includes(name));
    for (const { name, up } of missing) {
      await up(connection as Transaction<unknown>); // a migration knows the tables of its own time
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

/** In the order of their names; one that has been released stays as it is. */
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
];
