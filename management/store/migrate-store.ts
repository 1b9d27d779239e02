// Migrates a store before its programs start: the tables of gateways, and those of the service if they exist.

import { Kysely } from "kysely";
import { startReason } from "../../runtime/failures/description.ts";
import { networkFault, unreachableText } from "../../runtime/failures/unreachable.ts";
import { createLogger } from "../../runtime/process/log.ts";
import { parseStoreAddress } from "../../runtime/store/address.ts";
import { openingReason } from "../../runtime/store/failures.ts";
import { migrate, migrations, type StoreSchema } from "../../runtime/store/migrate.ts";
import { postgresDialect } from "../../runtime/store/postgres.ts";
import { sqliteDialect } from "../../runtime/store/sqlite.ts";
import { managementSchema } from "./open.ts";

/** The timeout of a statement in milliseconds, which may wait for migrations of another program. */
const patience = 600_000;

/** The result: the migrations that were run, or the reason why none was. */
export interface MigratedStore {
  readonly names: readonly string[];
  /** For people; never contains a password. */
  readonly failure?: string;
}

/** Runs the missing migrations of the store at an address. Creates the store if it does not exist. */
export async function migrateStore(text: string): Promise<MigratedStore> {
  let database: Kysely<unknown> | undefined;
  try {
    const address = parseStoreAddress(text);
    database = new Kysely<unknown>({
      dialect:
        address.kind === "sqlite"
          ? sqliteDialect(address.file)
          : postgresDialect(address.url, createLogger("silent"), patience),
    });
    const tables = new Set((await database.introspection.getTables()).map(({ name }) => name));
    const gateway: StoreSchema = { migrations, notedIn: "migrations" };
    const isService = tables.has(managementSchema.notedIn);
    const schemas = isService
      ? [...(tables.has(gateway.notedIn) ? [gateway] : []), managementSchema]
      : [gateway];
    const names: string[] = [];
    for (const schema of schemas) names.push(...(await migrate(database, address.kind, schema)));
    return { names };
  } catch (error) {
    return { names: [], failure: `the store cannot be migrated: ${reasonOf(error)}` };
  } finally {
    await database?.destroy().catch(() => undefined); // the database may never have been opened
  }
}

/** Returns only codes of PostgreSQL's errors, because their messages may contain a URL with its password. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && "errcode" in error) return openingReason(error); // of SQLite
  const fault = networkFault(error);
  if (fault !== undefined) return unreachableText("PostgreSQL", fault);
  // The driver's own errors, such as `Query read timeout`, have fixed texts.
  if (error instanceof Error && "code" in error && error.code === "unresponsive")
    return `PostgreSQL does not respond (${error.message})`;
  const reason = startReason(error);
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  return reason === "Internal error" ? `the database failed${code}` : reason;
}
