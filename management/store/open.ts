// The service's own tables in its store, which a portal may share.

import type { Transaction } from "kysely";
import type { Logger } from "../../runtime/process/log.ts";
import type { StoreAddress } from "../../runtime/store/address.ts";
import type { StoreSchema } from "../../runtime/store/migrate.ts";
import { openTables } from "../../runtime/store/store.ts";
import { firstTables } from "./migrations/0001-first-tables.ts";
import { auditActors } from "./migrations/0002-audit-actors.ts";
import { sessionTable } from "./migrations/0003-sessions.ts";
import { apiGrants } from "./migrations/0004-api-grants.ts";
import type { ChangeTopic, ManagementStore, ManagementTables } from "./tables.ts";

/** Opens the store and migrates its tables. Rejects with a `GatewayError` if that fails. */
export function openManagementStore(address: StoreAddress, log: Logger): Promise<ManagementStore> {
  return openTables<ManagementTables>(address, log, managementSchema);
}

/** The service's tables. */
export const managementSchema: StoreSchema = {
  migrations: [firstTables, auditActors, sessionTable, apiGrants],
  notedIn: "management_migrations",
};

/** A transaction. */
export type ManagementTransaction = Transaction<ManagementTables>;

/**
 * Counts a change of a topic, in its transaction, and returns the new number. Concurrent changes wait for it to end.
 */
export async function countChange(
  connection: ManagementTransaction,
  topic: ChangeTopic,
  now: string,
): Promise<number> {
  const { revision } = await connection
    .insertInto("management_revisions")
    .values({ topic, revision: 1, changed_at: now })
    .onConflict((conflict) =>
      conflict.column("topic").doUpdateSet(({ eb }) => ({
        revision: eb("management_revisions.revision", "+", 1),
        changed_at: now,
      })),
    )
    .returning("revision")
    .executeTakeFirstOrThrow();
  return revision;
}
