// Users in the store: the holders of keys that are not from the environment.

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
import type { ManagementTransaction } from "../store/open.ts";
import type { ManagementStore, UserTable } from "../store/tables.ts";

/** The id of a user and its new key, which is returned only once. */
export interface NewUser {
  readonly id: string;
  readonly access_key: string;
}

/** The owner of a key. */
export interface KnownUser {
  readonly id: string;
  readonly organisation: string;
  readonly name: string;
  readonly permissions: ReadonlySet<Permission>;
  readonly grants: readonly ApiGrant[];
}

/** Returns the user whose key has this hexadecimal SHA-256 digest. */
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

/** Returns a page of an organisation's users, ordered by name. */
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

/** Returns a user; rejects with `notFound` if it does not exist. */
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
 * Creates a user and its key. Rejects with 409 if the name is taken, with 403 if the caller lacks one of the
 * permissions, and with 422 if the name could be confused with another one.
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
 * Changes the name and the permissions of a user, who may keep permissions that the caller lacks. Rejects as
 * `createUser` does, and with `notFound`.
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
 * Replaces the key of a user; the old key no longer works. Rejects with `notFound`, and with 403 if the user has
 * permissions that the caller lacks, because the caller gets to know the key.
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

/** Deletes a user and its key; rejects with `notFound` if the user does not exist. */
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

/** The permissions and grants of a user. */
interface Rights {
  readonly permissions: readonly Permission[];
  readonly apis: readonly ApiGrant[];
}

/** Throws a 403 if the caller would grant more than it has. */
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

/** Whether the audit log uses such a name for keys of the environment. */
export function isEnvironmentName(name: string): boolean {
  return /^environment\s*key\b/i.test(name);
}

/** Throws a 422 if a name could be confused with others in the audit log: those of the service, or other spacing. */
function refuseName({ name }: User): void {
  const plain = name.normalize("NFKC").trim().replaceAll(/\s+/g, " ");
  if (plain === name && !isEnvironmentName(plain) && !/[\p{C}]/u.test(plain)) return;
  const rule =
    "name: takes no control characters, no blanks around it or in a row, and does not begin with `environment key`";
  throw refusal(422, "User object validation failed.", [rule]);
}

/** Returns the rights of a user and locks its row until the transaction ends; rejects with `notFound`. */
async function lockRights(
  connection: ManagementTransaction,
  { organisation }: RestCaller,
  id: string,
): Promise<Rights> {
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
  work: (connection: ManagementTransaction) => Promise<bigint>,
): Promise<void> {
  await store.transact(async (connection) => {
    if ((await work(connection)) === 0n) throw notFound();
    await noteChange(connection, caller, { action, object: id }, new Date().toISOString());
  });
}

function readUser(row: Pick<UserTable, "id" | "name" | "permissions" | "apis" | "created_at">): User {
  return { ...row, permissions: readPermissions(row.permissions), apis: readGrants(row.apis) };
}

/** Returns the permissions in a row. */
export function readPermissions(text: string): readonly Permission[] {
  const names: unknown = JSON.parse(text);
  return permissions.filter((name) => Array.isArray(names) && names.includes(name));
}

/** Returns the grants for single APIs in a row. */
export function readGrants(text: string): NonNullable<User["apis"]> {
  return JSON.parse(text); // the service validated the grants before it stored them
}
