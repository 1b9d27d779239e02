// Who credentials, requests and apps belong to: a developer, or a team of developers. Both are rows of one table.

import { refusal } from "../../rest/answers.ts";
import type { StoreConnection, Writing } from "../../store/store.ts";
import type { Developer } from "../generated/developer.ts";
import type { Team } from "../generated/team.ts";

/** A developer as it is stored: `password` is a hash, and `PWHistory` has those before it. */
export type DeveloperRecord = Developer & { readonly id: string };

/** A team as it is stored: who its members are is in tables of their own. */
export type TeamRecord = Omit<Team, "members" | "invitations" | "oauth_clients"> &
  Pick<Developer, "oauth_clients"> & { readonly id: string };

/** One of them; `isTeam` tells which. */
export type OwnerRecord = DeveloperRecord | TeamRecord;

/** Whether an owner is a team. */
export function isTeam(owner: OwnerRecord): owner is TeamRecord {
  return "name" in owner;
}

/** Owners of an organisation by id; those that are not there are left out. */
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

/**
 * The owner, whose record is locked until the transaction ends; `undefined` where there is none. Whatever
 * else of it a transaction writes, it locks the owner first, so that no two wait for each other.
 */
export async function lockOwner(
  connection: Writing,
  organisation: string,
  id: string,
): Promise<OwnerRecord | undefined> {
  // PostgreSQL locks the row that is written; SQLite has one writer anyway.
  await connection
    .updateTable("portal_developers")
    .set({ org_id: organisation })
    .where("id", "=", id)
    .where("org_id", "=", organisation)
    .execute();
  return (await findOwners(connection, organisation, [id])).get(id);
}

/** The same of one that is to ask for something, or get it. Rejects with 400 where it is not there, or inactive. */
export async function lockActiveOwner(
  connection: Writing,
  organisation: string,
  id: string,
): Promise<OwnerRecord> {
  const owner = await lockOwner(connection, organisation, id);
  if (owner === undefined) throw refusal(400, "No developer found!");
  refuseInactive(owner);
  return owner;
}

/** Throws a 400 for an owner that is inactive. */
export function refuseInactive(owner: OwnerRecord): void {
  if (owner.inactive !== true) return;
  throw refusal(400, isTeam(owner) ? "The team is inactive." : "The developer is inactive.");
}

/** Writes what an owner has; the owner is locked. */
export async function writeOwner(connection: Writing, owner: OwnerRecord): Promise<void> {
  await connection
    .updateTable("portal_developers")
    .set({ record: JSON.stringify(owner) })
    .where("id", "=", owner.id)
    .execute();
}
