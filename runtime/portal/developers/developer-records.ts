// Developers as they are stored.

import type { StoreConnection, Writing } from "../../store/store.ts";
import type { Developer } from "../generated/developer.ts";
import { type DeveloperRecord, findOwners, isTeam, lockOwner, type OwnerRecord } from "./owner-records.ts";

/** Developers of an organisation by id; those that are not there are left out. */
export async function findDevelopers(
  connection: StoreConnection,
  organisation: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, DeveloperRecord>> {
  const owners = await findOwners(connection, organisation, ids);
  return new Map([...owners].flatMap(([id, owner]) => (isTeam(owner) ? [] : [[id, owner] as const])));
}

/** `lockOwner` of a developer. */
export async function lockDeveloper(
  connection: Writing,
  organisation: string,
  id: string,
): Promise<DeveloperRecord | undefined> {
  const owner = await lockOwner(connection, organisation, id);
  return owner === undefined || isTeam(owner) ? undefined : owner;
}

/** Writes a developer that is locked. */
export async function writeDeveloper(connection: Writing, developer: DeveloperRecord): Promise<void> {
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

/** What addresses are compared by. */
export function columnOf({ email }: Pick<Developer, "email">): string {
  return email.toLowerCase();
}

/** A developer as others see one: without the password and those before it. */
export function withoutPasswords({ password: _, ...developer }: DeveloperRecord): DeveloperRecord {
  return { ...developer, PWHistory: [] };
}

/** What of an owner a request is answered with. */
export function describeOwner(owner: OwnerRecord | undefined) {
  if (owner === undefined) return {};
  return isTeam(owner)
    ? { portal_team: { id: owner.id, name: owner.name } }
    : { portal_developer: { ...withoutPasswords(owner) } };
}
