// Developers in the store.

import { notFound, refusal, refuseDuplicate } from "../../rest/answers.ts";
import { type Listed, listed, type Page } from "../../rest/lists.ts";
import { createIdentifier } from "../../store/identifiers.ts";
import type { Store, StoreConnection, StoreTransaction } from "../../store/store.ts";
import type { Developer } from "../generated/developer.ts";
import type { PortalServices } from "../operation.ts";
import { renameOwner } from "../requests/request-names.ts";
import { deleteMemberships } from "../teams/members.ts";
import { isAddress } from "./addresses.ts";
import { deleteOwner, endAccess, setCredentialsInactive } from "./credentials-of.ts";
import { columnOf, lockDeveloper, withoutPasswords, writeDeveloper } from "./developer-records.ts";
import { findFaults, isReused, keepPassword } from "./new-passwords.ts";
import type { DeveloperRecord } from "./owner-records.ts";

/** The dependencies of functions that write developers. */
export type DeveloperContext = Pick<PortalServices, "store" | "passwords">;

/** The time of an event that never happened, in a form that programs can parse. */
const never = "0001-01-01T00:00:00Z";

/** Returns a page of an organisation's developers, the oldest first. */
export async function listDevelopers(
  store: Store,
  organisation: string,
  page: Page | undefined,
): Promise<Listed<Developer>> {
  return store.read(async (connection) => {
    const own = connection
      .selectFrom("portal_developers")
      .where("org_id", "=", organisation)
      .where("is_team", "=", 0);
    const { total } = await own
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow();
    const sorted = own.select(["id", "record"]).orderBy("date_created").orderBy("id");
    const rows = await (page === undefined ? sorted : sorted.limit(page.limit).offset(page.offset)).execute();
    return listed(rows.map(readDeveloper).map(withoutPasswords), total, page);
  });
}

/** Returns a developer by id, by address in any case, or by SSO key. Rejects with `notFound` if there is none. */
export async function getDeveloper(
  store: Store,
  organisation: string,
  column: "id" | "email" | "sso_key",
  value: string,
): Promise<Developer> {
  const developer = await store.read((connection) => findDeveloper(connection, organisation, column, value));
  if (developer === undefined) throw notFound();
  return withoutPasswords(developer);
}

/** Returns the stored record of a developer; `undefined` if there is none. */
export async function findDeveloper(
  connection: StoreConnection,
  organisation: string,
  column: "id" | "email" | "sso_key",
  value: string,
): Promise<DeveloperRecord | undefined> {
  const row = await connection
    .selectFrom("portal_developers")
    .select(["id", "record"])
    .where(column, "=", column === "email" ? columnOf({ email: value }) : value)
    .where("org_id", "=", organisation)
    .where("is_team", "=", 0)
    .executeTakeFirst();
  return row && readDeveloper(row);
}

/**
 * Creates a developer and returns its id. Calls `also` in the same transaction. Rejects with 400 if the address or the
 * password is not valid, and with 409 if the address or the SSO key is taken.
 */
export async function createDeveloper(
  { store, passwords }: DeveloperContext,
  organisation: string,
  { password = "", ...body }: Developer,
  also: (connection: StoreTransaction, id: string) => Promise<void> = async () => {},
): Promise<string> {
  check(body, password);
  const id = createIdentifier();
  const created = new Date().toISOString();
  const developer: DeveloperRecord = {
    ...fieldsOf(body),
    id,
    date_created: created,
    org_id: organisation,
    keys: {},
    subscriptions: {},
    oauth_clients: {},
    password_updated: never,
    PWHistory: [],
    last_login_date: never,
    ...(password !== "" && (await keepPassword(passwords, password, {}))),
  };
  const row = { id, org_id: organisation, date_created: created, ...columnsOf(developer) };
  await knownOnce(() =>
    store.transact(async (connection) => {
      await connection.insertInto("portal_developers").values(row).execute();
      await also(connection, id);
    }),
  );
  return id;
}

/**
 * Replaces the fields of a developer that clients may set. Keeps the password if `password` is empty. Rejects as
 * `createDeveloper` does, with `notFound`, and with 400 if the developer has or had this password.
 */
export async function replaceDeveloper(
  { store, passwords }: DeveloperContext,
  organisation: string,
  id: string,
  { password = "", ...body }: Developer,
): Promise<void> {
  check(body, password);
  const known = await store.read((connection) => findDeveloper(connection, organisation, "id", id));
  if (known === undefined) throw notFound();
  if (password !== "" && (await isReused(passwords, password, known))) throw invalid([reusedPassword]);
  const fresh = password === "" ? undefined : await keepPassword(passwords, password, known);
  await knownOnce(() =>
    store.transact(async (connection) => {
      const former = await lockDeveloper(connection, organisation, id);
      if (former === undefined) throw notFound();
      if (fresh !== undefined && former.password !== known.password) throw changedMeanwhile();
      const developer = { ...former, ...fieldsOf(body), ...fresh };
      await writeDeveloper(connection, developer);
      if (former.email !== developer.email) await renameOwner(connection, organisation, id, developer.email);
      if (former.inactive !== developer.inactive) {
        await setCredentialsInactive(connection, organisation, developer);
        if (developer.inactive === true) await endAccess(connection, organisation, former);
      }
    }),
  );
}

/** Sets the language of e-mails to a developer. */
export async function setLanguage(
  store: Store,
  organisation: string,
  id: string,
  language: string,
): Promise<void> {
  await store.transact(async (connection) => {
    const developer = await lockDeveloper(connection, organisation, id);
    if (developer === undefined) throw notFound();
    await writeDeveloper(connection, { ...developer, language });
  });
}

/** The error for a password that was used before. */
export const reusedPassword = "password: Must not be one of the last passwords";

/** Returns the error for a password that was changed concurrently. */
export function changedMeanwhile() {
  return refusal(409, "The password has been changed meanwhile.");
}

/**
 * Returns the fields that clients set. Absent fields become empty, except the language, which the developer chooses.
 */
function fieldsOf({
  email,
  inactive = false,
  fields = {},
  nonce = "",
  sso_key = "",
  password_max_days = 0,
  language,
}: Developer) {
  const chosen = language === undefined ? {} : { language };
  return { email, inactive, fields, nonce, sso_key, password_max_days, ...chosen };
}

function check(developer: Developer, password: string): void {
  const faults = [
    ...(isAddress(developer.email) ? [] : ["email: Does not match format 'email'"]),
    ...(password === "" ? [] : findFaults(password, developer)),
  ];
  if (faults.length > 0) throw invalid(faults);
}

function invalid(faults: readonly string[]) {
  return refusal(400, "Developer object validation failed.", faults);
}

function columnsOf(developer: DeveloperRecord) {
  return {
    email: columnOf(developer),
    sso_key: developer.sso_key || null,
    record: JSON.stringify(developer),
  };
}

function readDeveloper({ id, record }: { readonly id: string; readonly record: string }): DeveloperRecord {
  return { ...JSON.parse(record), id };
}

function knownOnce<T>(work: () => Promise<T>): Promise<T> {
  return refuseDuplicate("A developer with that e-mail address or SSO key already exists.", work);
}

/**
 * Deletes a developer with all its data, in one transaction: no personal data remains. Teams that it was a member of
 * keep what they have. Rejects with 404 if the developer does not exist.
 */
export async function deleteDeveloper(store: Store, organisation: string, id: string): Promise<void> {
  await store.transact(async (connection) => {
    const developer = await lockDeveloper(connection, organisation, id);
    if (developer === undefined) throw refusal(404, "Could not retrieve object for deletion");
    await deleteMemberships(connection, organisation, developer);
    await connection
      .deleteFrom("portal_mails")
      .where("org_id", "=", organisation)
      .where("recipient", "=", columnOf(developer))
      .execute();
    await deleteOwner(connection, organisation, developer);
  });
}
