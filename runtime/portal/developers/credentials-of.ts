// Operations on all the credentials of an owner.

import { countChange, lockTopic, type StoreTransaction } from "../../store/store.ts";
import { deleteAppsOf } from "../apps/apps.ts";
import type { OwnerRecord } from "./owner-records.ts";

/** Enables or disables the keys and clients of an owner according to its `inactive`. The owner is locked. */
export async function setCredentialsInactive(
  connection: StoreTransaction,
  organisation: string,
  owner: OwnerRecord,
): Promise<void> {
  const { keys, clients } = idsOf(owner);
  const { inactive = false } = owner;
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

/** Ends all sessions of a developer. */
export async function endSessionsOf(
  connection: StoreTransaction,
  organisation: string,
  developer: string,
): Promise<void> {
  await connection
    .deleteFrom("portal_sessions")
    .where("org_id", "=", organisation)
    .where("developer_id", "=", developer)
    .execute();
}

/**
 * Ends what a developer who is made inactive could come back with: sessions, and links to choose a password. They stay
 * ended when the developer becomes active again.
 */
export async function endAccess(
  connection: StoreTransaction,
  organisation: string,
  { id, email }: OwnerRecord & { readonly email: string },
): Promise<void> {
  await endSessionsOf(connection, organisation, id);
  await connection
    .deleteFrom("portal_links")
    .where("org_id", "=", organisation)
    .where("kind", "=", "password")
    .where("email", "=", email.toLowerCase())
    .execute();
}

/**
 * Deletes an owner with its keys, OAuth clients, requests, and apps with their subscriptions. The owner is locked. Its
 * credentials no longer work.
 */
export async function deleteOwner(
  connection: StoreTransaction,
  organisation: string,
  owner: OwnerRecord,
): Promise<void> {
  await lockTopic(connection, "catalogue"); // before keys and requests, as others that write both
  await deleteCredentials(connection, organisation, owner);
  await connection
    .deleteFrom("portal_requests")
    .where("org_id", "=", organisation)
    .where("by_user", "=", owner.id)
    .execute();
  await deleteAppsOf(connection, organisation, owner.id);
  await connection.deleteFrom("portal_developers").where("id", "=", owner.id).execute();
}

/** Deletes all keys and clients of an owner. */
async function deleteCredentials(
  connection: StoreTransaction,
  organisation: string,
  owner: OwnerRecord,
): Promise<void> {
  const { keys, clients } = idsOf(owner);
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

function idsOf({ keys = {}, oauth_clients: clients = {} }: OwnerRecord) {
  return {
    keys: Object.keys(keys),
    clients: Object.values(clients).flatMap((list) => list.map(({ client_id: id }) => id)),
  };
}
