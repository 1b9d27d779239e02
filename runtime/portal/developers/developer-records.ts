// Developers as they are stored.

import { refusal } from "../../rest/answers.ts";
import type { StoreConnection, Writing } from "../../store/store.ts";
import type { Developer } from "../generated/developer.ts";

/** A developer as it is stored: `password` is a hash, and `PWHistory` has those before it. */
export type DeveloperRecord = Developer & { readonly id: string };

/** Developers of an organisation by id; those that are not there are left out. */
export async function findDevelopers(
  connection: StoreConnection,
  organisation: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, DeveloperRecord>> {
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
 * The developer, whose record is locked until the transaction ends; `undefined` where there is none. Whatever
 * else of it a transaction writes, it locks the developer first, so that no two wait for each other.
 */
export async function lockDeveloper(
  connection: Writing,
  organisation: string,
  id: string,
): Promise<DeveloperRecord | undefined> {
  // PostgreSQL locks the row that is written; SQLite has one writer anyway.
  await connection
    .updateTable("portal_developers")
    .set({ org_id: organisation })
    .where("id", "=", id)
    .where("org_id", "=", organisation)
    .execute();
  return (await findDevelopers(connection, organisation, [id])).get(id);
}

/** The same of one that is to ask for something, or get it. Rejects with 400 where it is not there, or inactive. */
export async function lockActiveDeveloper(
  connection: Writing,
  organisation: string,
  id: string,
): Promise<DeveloperRecord> {
  const developer = await lockDeveloper(connection, organisation, id);
  if (developer === undefined) throw refusal(400, "No developer found!");
  if (developer.inactive === true) throw refusal(400, "The developer is inactive.");
  return developer;
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
