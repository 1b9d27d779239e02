// The owners of credentials, requests and apps: developers and teams of developers. Both are rows of one table.

import { refusal } from "../../rest/answers.ts";
import type { StoreConnection, StoreTransaction } from "../../store/store.ts";
import type { Developer } from "../generated/developer.ts";
import type { Team } from "../generated/team.ts";

/** A stored developer: `password` is a hash, and `PWHistory` contains the former hashes. */
export type DeveloperRecord = Developer & { readonly id: string };

/** A stored team. Its members are in separate tables. */
export type TeamRecord = Omit<Team, "members" | "invitations" | "oauth_clients"> &
  Pick<Developer, "oauth_clients"> & { readonly id: string };

/** A developer or a team; `isTeam` tells which. */
export type OwnerRecord = DeveloperRecord | TeamRecord;

/** Whether an owner is a team. */
export function isTeam(owner: OwnerRecord): owner is TeamRecord {
  return "name" in owner;
}

/** Returns the address of a developer or the name of a team. */
export function nameOfOwner(owner: OwnerRecord): string {
  return isTeam(owner) ? owner.name : owner.email;
}

/** Returns the owners of an organisation by id. Omits ids that do not exist. */
export async function findOwners(
  connection: StoreConnection,
  organisation: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, OwnerRecord>> {
  if (ids.length === 0) return new Map();
  const rows = await connection
    .selectFrom("portal_developers")
    .select(["id", "record"])
    .where("org_id", "=", organisation)
    .where("id", "in", [...new Set(ids)])
    .execute();
  return new Map(rows.map(({ id, record }) => [id, { ...JSON.parse(record), id }]));
}

/** Returns the unique text of a team by its name, ignoring case. No address of a developer has this form. */
export function teamText(name: string): string {
  return `team:${name.toLowerCase()}`;
}

/**
 * Returns the owner and locks its record until the transaction ends; `undefined` if there is none. Transactions lock
 * the owner before they write anything else that belongs to it, which avoids deadlocks.
 */
export async function lockOwner(
  connection: StoreTransaction,
  organisation: string,
  id: string,
): Promise<OwnerRecord | undefined> {
  // PostgreSQL locks the updated row; SQLite has only one writer.
  await connection
    .updateTable("portal_developers")
    .set({ org_id: organisation })
    .where("id", "=", id)
    .where("org_id", "=", organisation)
    .execute();
  return (await findOwners(connection, organisation, [id])).get(id);
}

/** Locks an owner as `lockOwner` does. Rejects with 400 if the owner does not exist or is inactive. */
export async function lockActiveOwner(
  connection: StoreTransaction,
  organisation: string,
  id: string,
): Promise<OwnerRecord> {
  const owner = await lockOwner(connection, organisation, id);
  if (owner === undefined) throw refusal(400, "No developer found!");
  refuseInactive(owner);
  return owner;
}

/** Throws a 400 if the owner is inactive. */
export function refuseInactive(owner: OwnerRecord): void {
  if (owner.inactive !== true) return;
  throw refusal(400, isTeam(owner) ? "The team is inactive." : "The developer is inactive.");
}

/** Writes the record of an owner. The owner is locked. */
export async function writeOwner(connection: StoreTransaction, owner: OwnerRecord): Promise<void> {
  await connection
    .updateTable("portal_developers")
    .set({ record: JSON.stringify(owner) })
    .where("id", "=", owner.id)
    .execute();
}
