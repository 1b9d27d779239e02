// Users in the store: the holders of keys that are not of the environment.

import { hashKey } from "../../runtime/keys/key-hash.ts";
import { createToken } from "../../runtime/oauth/tokens.ts";
import { notFound, refusal, refuseDuplicate } from "../../runtime/rest/answers.ts";
import { type Listed, listed, type Page } from "../../runtime/rest/lists.ts";
import type { ApiGrant, RestCaller } from "../../runtime/rest/operation.ts";
import { createIdentifier } from "../../runtime/store/identifiers.ts";
import { type Permission, permissions } from "../access/permissions.ts";
import { covers, mayAll } from "../access/rights.ts";
import { noteChange } from "../audit/audit.ts";
import type { User } from "../generated/user.ts";
import type { Writing } from "../store/open.ts";
import type { ManagementStore, UserTable } from "../store/tables.ts";

/** A user that was created, and its key, which is returned once. */
export interface NewUser {
  readonly id: string;
  readonly access_key: string;
}

/** Whose a key is. */
export interface KnownUser {
  readonly id: string;
  readonly organisation: string;
  readonly name: string;
  readonly permissions: ReadonlySet<Permission>;
  readonly grants: readonly ApiGrant[];
}

/** The user whose key has that hex SHA-256. */
export async function findUser(store: ManagementStore, keyHash: string): Promise<KnownUser | undefined> {
  const row = await store.read((connection) =>
    connection
      .selectFrom("management_users")
      .select(["id", "org_id", "name", "permissions", "apis"])
      .where("key_hash", "=", keyHash)
      .executeTakeFirst(),
  );
  return (
    row && {
      id: row.id,
      organisation: row.org_id,
      name: row.name,
      permissions: new Set(readPermissions(row.permissions)),
      grants: readGrants(row.apis),
    }
  );
}

/** A page of an organisation's users, by their names. */
export function listUsers(
  store: ManagementStore,
  organisation: string,
  page: Page | undefined,
): Promise<Listed<User>> {
  return store.read(async (connection) => {
    const own = connection.selectFrom("management_users").where("org_id", "=", organisation);
    const { total } = await own
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow();
    const sorted = own.select(["id", "name", "permissions", "apis", "created_at"]).orderBy("name");
    const rows = await (page === undefined ? sorted : sorted.limit(page.limit).offset(page.offset)).execute();
    return listed(rows.map(readUser), total, page);
  });
}

/** One user; rejects with `notFound`. */
export async function getUser(store: ManagementStore, organisation: string, id: string): Promise<User> {
  const row = await store.read((connection) =>
    connection
      .selectFrom("management_users")
      .select(["id", "name", "permissions", "apis", "created_at"])
      .where("id", "=", id)
      .where("org_id", "=", organisation)
      .executeTakeFirst(),
  );
  if (row === undefined) throw notFound();
  return readUser(row);
}

const nameTaken = "This user name has already been used.";

/**
 * Makes a user and its key; rejects with 409 where the name is taken, with 403 for permissions that the caller has not, with
 * 422 for a name that could be taken for another's.
 */
export async function createUser(store: ManagementStore, caller: RestCaller, user: User): Promise<NewUser> {
  refuseName(user);
  refuseGrant(caller, user);
  const id = createIdentifier();
  const key = createToken();
  const now = new Date().toISOString();
  await refuseDuplicate(nameTaken, () =>
    store.transact(async (connection) => {
      await connection
        .insertInto("management_users")
        .values({
          id,
          org_id: caller.organisation,
          name: user.name,
          key_hash: hashKey(key),
          ...rightsColumns(user),
          created_at: now,
        })
        .execute();
      await noteChange(connection, caller, { action: "createUser", object: id }, now);
    }),
  );
  return { id, access_key: key };
}

/**
 * Changes the name and the permissions of a user, who may keep more than the caller has; rejects as `createUser`, and with
 * `notFound`.
 */
export async function replaceUser(
  store: ManagementStore,
  caller: RestCaller,
  id: string,
  user: User,
): Promise<void> {
  refuseName(user);
  await refuseDuplicate(nameTaken, () =>
    change(store, caller, { action: "replaceUser", id }, async (connection) => {
      const former = await lockRights(connection, caller, id);
      refuseGrant(caller, {
        permissions: user.permissions.filter((each) => !former.permissions.includes(each)),
        apis: user.apis?.filter((each) => !former.apis.some((kept) => isSame(kept, each))) ?? [],
      });
      const { numUpdatedRows } = await connection
        .updateTable("management_users")
        .set({ name: user.name, ...rightsColumns(user) })
        .where("id", "=", id)
        .where("org_id", "=", caller.organisation)
        .executeTakeFirst();
      return numUpdatedRows;
    }),
  );
}

/**
 * Gives a user another key; the one before is worth nothing from then on. Rejects with `notFound`, and with 403 where the key
 * may do more than the caller, who would have it then.
 */
export async function renewKey(store: ManagementStore, caller: RestCaller, id: string): Promise<NewUser> {
  const key = createToken();
  await change(store, caller, { action: "renewKey", id }, async (connection) => {
    refuseGrant(caller, await lockRights(connection, caller, id));
    const { numUpdatedRows } = await connection
      .updateTable("management_users")
      .set({ key_hash: hashKey(key) })
      .where("id", "=", id)
      .where("org_id", "=", caller.organisation)
      .executeTakeFirst();
    return numUpdatedRows;
  });
  return { id, access_key: key };
}

/** Deletes a user, and so its key; rejects with `notFound`. */
export async function deleteUser(store: ManagementStore, caller: RestCaller, id: string): Promise<void> {
  await change(store, caller, { action: "deleteUser", id }, (connection) =>
    connection
      .deleteFrom("management_users")
      .where("id", "=", id)
      .where("org_id", "=", caller.organisation)
      .executeTakeFirst()
      .then(({ numDeletedRows }) => numDeletedRows),
  );
}

/** What a user may do. */
interface Rights {
  readonly permissions: readonly Permission[];
  readonly apis: readonly ApiGrant[];
}

/** Users cannot grant more than they have. Throws a 403. */
function refuseGrant(caller: RestCaller, { permissions, apis = [] }: Partial<Rights>): void {
  const missing = [
    ...(permissions ?? []).filter((each) => !mayAll(caller, each)).map((each) => `\`${each}\``),
    ...apis
      .filter((each) => !covers(caller, each))
      .map(({ api, permissions: names }) => `\`${names.join("`, `")}\` for \`${api}\``),
  ];
  if (missing.length === 0) return;
  throw refusal(403, `access denied: You cannot grant ${missing.join(", ")}, as you do not have it.`);
}

function isSame(one: ApiGrant, other: ApiGrant): boolean {
  return JSON.stringify(normal(one)) === JSON.stringify(normal(other));
}

function normal({ api, by = "id", permissions }: ApiGrant): ApiGrant {
  return { api, by, permissions: permissions.toSorted() };
}

function rightsColumns({ permissions, apis = [] }: Pick<User, "permissions" | "apis">) {
  return { permissions: JSON.stringify(permissions), apis: JSON.stringify(apis) };
}

/** Whether the audit log calls keys of the environment so. */
export function isEnvironmentName(name: string): boolean {
  return /^environment\s*key\b/i.test(name);
}

/** A name in the audit log must differ from those that the service gives, and from others by more than blanks. */
function refuseName({ name }: User): void {
  const plain = name.normalize("NFKC").trim().replaceAll(/\s+/g, " ");
  if (plain === name && !isEnvironmentName(plain) && !/[\p{C}]/u.test(plain)) return;
  const rule =
    "name: takes no control characters, no blanks around it or in a row, and does not begin with `environment key`";
  throw refusal(422, "User object validation failed.", [rule]);
}

/** What a user may do, who is not changed by others until the transaction is over; rejects with `notFound`. */
async function lockRights(connection: Writing, { organisation }: RestCaller, id: string): Promise<Rights> {
  const row = await connection
    .updateTable("management_users")
    .set(({ ref }) => ({ permissions: ref("permissions") }))
    .where("id", "=", id)
    .where("org_id", "=", organisation)
    .returning(["permissions", "apis"])
    .executeTakeFirst();
  if (row === undefined) throw notFound();
  return { permissions: readPermissions(row.permissions), apis: readGrants(row.apis) };
}

async function change(
  store: ManagementStore,
  caller: RestCaller,
  { action, id }: { readonly action: string; readonly id: string },
  work: (connection: Writing) => Promise<bigint>,
): Promise<void> {
  await store.transact(async (connection) => {
    if ((await work(connection)) === 0n) throw notFound();
    await noteChange(connection, caller, { action, object: id }, new Date().toISOString());
  });
}

function readUser(row: Pick<UserTable, "id" | "name" | "permissions" | "apis" | "created_at">): User {
  return { ...row, permissions: readPermissions(row.permissions), apis: readGrants(row.apis) };
}

/** The permissions that a row of the store names. */
export function readPermissions(text: string): readonly Permission[] {
  const names: unknown = JSON.parse(text);
  return permissions.filter((name) => Array.isArray(names) && names.includes(name));
}

/** The grants for single APIs that a row of the store has. */
export function readGrants(text: string): NonNullable<User["apis"]> {
  return JSON.parse(text); // written by this service, from what its schema let through
}
