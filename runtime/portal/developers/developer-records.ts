// The stored records of developers.

import type { StoreConnection, StoreTransaction } from "../../store/store.ts";
import type { Developer } from "../generated/developer.ts";
import { type DeveloperRecord, findOwners, isTeam, lockOwner, type OwnerRecord } from "./owner-records.ts";

/** Returns the developers of an organisation by id. Omits ids that do not exist. */
export async function findDevelopers(
  connection: StoreConnection,
  organisation: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, DeveloperRecord>> {
  const owners = await findOwners(connection, organisation, ids);
  return new Map([...owners].flatMap(([id, owner]) => (isTeam(owner) ? [] : [[id, owner] as const])));
}

/** Locks a developer as `lockOwner` does; `undefined` if there is none, or if the owner is a team. */
export async function lockDeveloper(
  connection: StoreTransaction,
  organisation: string,
  id: string,
): Promise<DeveloperRecord | undefined> {
  const owner = await lockOwner(connection, organisation, id);
  return owner === undefined || isTeam(owner) ? undefined : owner;
}

/** Writes the record of a developer. The developer is locked. */
export async function writeDeveloper(
  connection: StoreTransaction,
  developer: DeveloperRecord,
): Promise<void> {
  await connection
    .updateTable("portal_developers")
    .set({
      email: columnOf(developer),
      sso_key: developer.sso_key || null,
      record: JSON.stringify(developer),
    })
    .where("id", "=", developer.id)
    .execute();
}

/** Returns the form in which addresses are compared. */
export function columnOf({ email }: Pick<Developer, "email">): string {
  return email.toLowerCase();
}

/** Returns a developer as others may see it: without the current and former passwords. */
export function withoutPasswords({ password: _, ...developer }: DeveloperRecord): DeveloperRecord {
  return { ...developer, PWHistory: [] };
}

/** Returns the fields that describe an owner in a response. */
export function describeOwner(owner: OwnerRecord | undefined) {
  if (owner === undefined) return {};
  return isTeam(owner)
    ? { portal_team: { id: owner.id, name: owner.name } }
    : { portal_developer: { ...withoutPasswords(owner) } };
}
