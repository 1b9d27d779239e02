// The individual keys of a developer or a team.

import { isKeySetAddress } from "../../keys/records.ts";
import type { StoredKey } from "../../keys/stored-records.ts";
import { notFound, refusal, refuseDuplicate } from "../../rest/answers.ts";
import { createIdentifier } from "../../store/identifiers.ts";
import { countChange, type Store, type StoreConnection, type StoreTransaction } from "../../store/store.ts";
import type { KeyRequest } from "../generated/key-request.ts";
import { expiryOf, getPolicies } from "../policies/known-policies.ts";
import { type ApprovalContext, certificateTaken } from "../requests/approve.ts";
import { readCheckedRequest } from "../requests/checked-request.ts";
import { type IssuedCredential, prepareCredential } from "../requests/give-credential.ts";
import { findOwners, lockOwner, type OwnerRecord, refuseInactive, writeOwner } from "./owner-records.ts";

/** The credential to create without a request. */
export type RequestedKey = Pick<
  KeyRequest,
  "apply_policies" | "fields" | "oauth_info" | "jwt_secret" | "certificate"
>;

/**
 * Creates a credential for an owner, as an approved request does, but never extends an existing one. Rejects with
 * `notFound` if the owner does not exist, and with 400 if a policy does not exist or the owner is inactive.
 */
export async function addDeveloperKey(
  context: ApprovalContext,
  organisation: string,
  id: string,
  body: RequestedKey,
): Promise<IssuedCredential> {
  const { store } = context;
  const request = { ...body, by_user: id };
  const checked = await store.read((connection) => readCheckedRequest(connection, organisation, request));
  const configuration = { ...checked.configuration, enable_multi_selection: false };
  const give = await prepareCredential(context, organisation, { ...checked, configuration });
  return refuseDuplicate(certificateTaken, () =>
    store.transact(async (connection) => {
      const owner = await lockOwner(connection, organisation, id);
      if (owner === undefined) throw notFound();
      refuseInactive(owner);
      return give(connection, organisation, owner);
    }),
  );
}

/** The proof that the developer provides for the next credential, if it needs one. */
export type BroughtProof = Pick<KeyRequest, "jwt_secret" | "certificate">;

/**
 * Creates a key or OAuth client with the policies of an existing one and deletes the existing one, in one transaction.
 * The token secret and the certificate come from `proof`; without one, the address of a key set is kept. Rejects as
 * `addDeveloperKey` does, and with `notFound` if the owner has no such credential.
 */
export async function rotateDeveloperKey(
  context: ApprovalContext,
  organisation: string,
  { owner: id, key }: { readonly owner: string; readonly key: string },
  proof: BroughtProof = {},
): Promise<IssuedCredential> {
  const { store } = context;
  const checked = await store.read(async (connection) => {
    const found = await findOwners(connection, organisation, [id]);
    const request = requestFor(found.get(id), key);
    if (request === undefined) throw notFound();
    const address = await keySetOf(connection, organisation, key);
    return readCheckedRequest(connection, organisation, { ...request, ...address, ...proof });
  });
  const configuration = { ...checked.configuration, enable_multi_selection: false };
  const give = await prepareCredential(context, organisation, { ...checked, configuration });
  return refuseDuplicate(certificateTaken, () =>
    store.transact(async (connection) => {
      const owner = await lockOwner(connection, organisation, id);
      if (owner === undefined || requestFor(owner, key) === undefined) throw notFound();
      refuseInactive(owner);
      const credential = await give(connection, organisation, owner);
      const changed = await lockOwner(connection, organisation, id);
      if (changed !== undefined) await deleteCredential(connection, organisation, changed, key);
      return credential;
    }),
  );
}

/**
 * Returns the address of the key set that verifies a key's tokens. Unlike a secret, it can be used for the next key.
 */
async function keySetOf(
  connection: StoreConnection,
  organisation: string,
  key: string,
): Promise<BroughtProof> {
  const row = await connection
    .selectFrom("keys")
    .select("record")
    .where("key_hash", "=", key)
    .where("org_id", "=", organisation)
    .executeTakeFirst();
  const { jwt_data: jwt }: StoredKey = JSON.parse(row?.record ?? "{}");
  const { secret = "" } = jwt ?? {};
  return isKeySetAddress(secret) ? { jwt_secret: secret } : {};
}

/** Returns the request that creates an owner's key or client again; `undefined` if the owner has none of that name. */
function requestFor(owner: OwnerRecord | undefined, name: string): KeyRequest | undefined {
  const { id = "", keys = {}, oauth_clients: clients = {} } = owner ?? {};
  if (Object.hasOwn(keys, name)) return { apply_policies: keys[name] ?? [], by_user: id };
  for (const [policy, list] of Object.entries(clients)) {
    const client = list.find(({ client_id: each }) => each === name);
    if (client === undefined) continue;
    const { redirect_uri = "", app_description = "", use_case = "" } = client;
    return {
      apply_policies: [policy],
      by_user: id,
      oauth_info: { redirect_uri },
      fields: { oauth_app_description: app_description, oauth_use_case: use_case },
    };
  }
  return undefined;
}

/** The policies of a key. */
export type PoliciesOfKey = Required<Pick<KeyRequest, "apply_policies">>;

/** Returns the policies of a key or of the OAuth client of that name. Rejects with `notFound` if there is none. */
export async function getDeveloperKey(
  store: Store,
  organisation: string,
  id: string,
  key: string,
): Promise<PoliciesOfKey> {
  const owners = await store.read((connection) => findOwners(connection, organisation, [id]));
  const request = requestFor(owners.get(id), key);
  if (request === undefined) throw notFound();
  return { apply_policies: request.apply_policies ?? [] };
}

/** Replaces the policies of a key, as if it was created with them now. Rejects as `addDeveloperKey` does. */
export async function replaceDeveloperKey(
  { store, policies: configured }: Pick<ApprovalContext, "store" | "policies">,
  organisation: string,
  id: string,
  key: string,
  policies: readonly string[],
): Promise<void> {
  const all = [...new Set(policies)];
  await changeKey(store, organisation, id, key, async (connection, owner, record) => {
    const known = await getPolicies(connection, configured, organisation, all);
    await writeOwner(connection, {
      ...owner,
      keys: { ...owner.keys, [key]: all },
      subscriptions: {
        ...subscriptionsWithout(owner, key),
        ...Object.fromEntries(all.map((policy) => [policy, key])),
      },
    });
    return { ...record, apply_policies: all, expires: expiryOf(known) };
  });
}

/**
 * Restarts the quotas of a key by counting them under a new name. Rejects with `notFound` if the key does not exist.
 */
export async function resetQuota(store: Store, organisation: string, id: string, key: string): Promise<void> {
  await changeKey(store, organisation, id, key, async (_connection, _developer, record) => ({
    ...record,
    quota_period: createIdentifier(),
  }));
}

/** Deletes a key, or the OAuth client of that name. Rejects with 404 if there is none. */
export async function deleteDeveloperKey(
  store: Store,
  organisation: string,
  id: string,
  key: string,
): Promise<void> {
  await store.transact(async (connection) => {
    const owner = await lockOwner(connection, organisation, id);
    if (owner === undefined || requestFor(owner, key) === undefined)
      throw refusal(404, "Could not retrieve object for deletion");
    await deleteCredential(connection, organisation, owner, key);
  });
}

/** Deletes a key or an OAuth client of an owner. The owner is locked. */
async function deleteCredential(
  connection: StoreTransaction,
  organisation: string,
  owner: OwnerRecord,
  name: string,
): Promise<void> {
  const take = Object.hasOwn(owner.keys ?? {}, name) ? deleteKey : deleteClient;
  await take(connection, organisation, owner, name);
}

async function deleteKey(
  connection: StoreTransaction,
  organisation: string,
  owner: OwnerRecord,
  key: string,
): Promise<void> {
  const { [key]: _, ...keys } = owner.keys ?? {};
  await connection
    .deleteFrom("keys")
    .where("key_hash", "=", key)
    .where("org_id", "=", organisation)
    .execute();
  await writeOwner(connection, {
    ...owner,
    keys,
    subscriptions: subscriptionsWithout(owner, key),
  });
  await countChange(connection, "keys");
}

async function deleteClient(
  connection: StoreTransaction,
  organisation: string,
  owner: OwnerRecord,
  name: string,
): Promise<void> {
  const clients = Object.entries(owner.oauth_clients ?? {}).flatMap(([policy, list]) => {
    const others = list.filter(({ client_id: id }) => id !== name);
    return others.length === 0 ? [] : [[policy, others] as const];
  });
  await connection
    .deleteFrom("oauth_clients")
    .where("client_id", "=", name)
    .where("org_id", "=", organisation)
    .execute();
  await writeOwner(connection, { ...owner, oauth_clients: Object.fromEntries(clients) });
  await countChange(connection, "oauth_clients");
}

/** Replaces a key of an owner with the result of `change`. Rejects with `notFound` if the owner has no such key. */
async function changeKey(
  store: Store,
  organisation: string,
  id: string,
  key: string,
  change: (connection: StoreTransaction, owner: OwnerRecord, record: StoredKey) => Promise<StoredKey>,
): Promise<void> {
  await store.transact(async (connection) => {
    const owner = await lockOwner(connection, organisation, id);
    if (owner === undefined || !Object.hasOwn(owner.keys ?? {}, key)) throw notFound();
    const row = await connection
      .selectFrom("keys")
      .select("record")
      .where("key_hash", "=", key)
      .where("org_id", "=", organisation)
      .executeTakeFirst();
    if (row === undefined) throw notFound();
    const record = await change(connection, owner, JSON.parse(row.record));
    await connection
      .updateTable("keys")
      .set({ record: JSON.stringify(record) })
      .where("key_hash", "=", key)
      .execute();
    await countChange(connection, "keys");
  });
}

function subscriptionsWithout({ subscriptions = {} }: OwnerRecord, key: string): Record<string, string> {
  return Object.fromEntries(Object.entries(subscriptions).filter(([, each]) => each !== key));
}
