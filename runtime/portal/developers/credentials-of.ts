// The credentials that a developer has, all of them at once.

import { countChange, type Writing } from "../../store/store.ts";
import type { DeveloperRecord } from "./developer-records.ts";

/** Has a developer's keys and clients work or not, as the developer does; the developer is locked. */
export async function setCredentialsInactive(
  connection: Writing,
  organisation: string,
  developer: DeveloperRecord,
): Promise<void> {
  const { keys, clients } = idsOf(developer);
  const { inactive = false } = developer;
  const change = (record: string) => JSON.stringify({ ...JSON.parse(record), is_inactive: inactive });
  for (const id of keys) {
    const row = await connection
      .selectFrom("keys")
      .select("record")
      .where("key_hash", "=", id)
      .where("org_id", "=", organisation)
      .executeTakeFirst();
    if (row === undefined) continue;
    await connection
      .updateTable("keys")
      .set({ record: change(row.record) })
      .where("key_hash", "=", id)
      .execute();
  }
  for (const id of clients) {
    const row = await connection
      .selectFrom("oauth_clients")
      .select("record")
      .where("client_id", "=", id)
      .where("org_id", "=", organisation)
      .executeTakeFirst();
    if (row === undefined) continue;
    await connection
      .updateTable("oauth_clients")
      .set({ record: change(row.record) })
      .where("client_id", "=", id)
      .execute();
  }
  await countChange(connection, "keys");
  await countChange(connection, "oauth_clients");
}

/** Takes all keys and clients of a developer back; the developer is locked. */
export async function deleteCredentials(
  connection: Writing,
  organisation: string,
  developer: DeveloperRecord,
): Promise<void> {
  const { keys, clients } = idsOf(developer);
  if (keys.length > 0) {
    await connection
      .deleteFrom("keys")
      .where("org_id", "=", organisation)
      .where("key_hash", "in", keys)
      .execute();
  }
  if (clients.length > 0) {
    await connection
      .deleteFrom("oauth_clients")
      .where("org_id", "=", organisation)
      .where("client_id", "in", clients)
      .execute();
  }
  await countChange(connection, "keys");
  await countChange(connection, "oauth_clients");
}

function idsOf({ keys = {}, oauth_clients: clients = {} }: DeveloperRecord) {
  return {
    keys: Object.keys(keys),
    clients: Object.values(clients).flatMap((list) => list.map(({ client_id: id }) => id)),
  };
}
