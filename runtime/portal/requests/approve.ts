// Approving a request: the credential, the developer and the request change in one transaction.

import type { StoredKey } from "../../keys/stored-records.ts";
import type { OauthClient } from "../../oauth/clients.ts";
import { type Connection, countChange, type Store } from "../../store/store.ts";
import { notFound, refusal } from "../answers.ts";
import type { KeyRequest } from "../generated/key-request.ts";
import { type CredentialKind, createClient, createKey, createUser, type NewKey } from "./credentials.ts";
import {
  type CatalogueEntry,
  type DeveloperRecord,
  entriesFor,
  findDevelopers,
  type PortalConfiguration,
  readCatalogue,
  readConfiguration,
} from "./known-records.ts";
import { checkPolicies, findRequest, policiesOf, type RequestContext } from "./requests.ts";

/** The connection of a transaction. */
type Writing = Parameters<Parameters<Store["transact"]>[0]>[0];

/** A key, or the name and password of a user; both empty where a key that the developer has was extended. */
export interface KeyAnswer {
  readonly RawKey: string;
  readonly Password: string;
}

/** An OAuth client. */
export interface ClientAnswer {
  readonly client_id: string;
  readonly secret: string;
  readonly policy_id: string;
  readonly redirect_uri: string;
}

/** What is asked for, and what the organisation says of it. */
interface Approval {
  readonly request: KeyRequest;
  readonly policies: readonly string[];
  readonly kind: CredentialKind;
  readonly configuration: PortalConfiguration;
}

/**
 * Approves a request and gives the credential, which exists nowhere else. Rejects with `notFound`, and with 400 where it
 * was approved before, or names policies or a developer that are not there any more; then nothing has changed. Of several
 * approvals at once one has it.
 */
export async function approveRequest(
  context: RequestContext,
  organisation: string,
  id: string,
): Promise<KeyAnswer | ClientAnswer> {
  const { store, policies: configured } = context;
  const approval = await store.read((connection) => readApproval(connection, organisation, id));
  // Hashing a password takes long on purpose: others shall not wait for it.
  const key = approval.kind === "basic" ? await createUser() : createKey();
  return store.transact(async (connection) => {
    await takeRequest(connection, organisation, id);
    await checkPolicies(connection, configured, organisation, approval.policies);
    const developer = await lockDeveloper(connection, organisation, approval.request.by_user);
    return approval.kind === "oauth"
      ? giveClient(connection, organisation, approval, developer)
      : giveKey(connection, organisation, approval, developer, key);
  });
}

/** Whether requests for these policies are approved as they are made. */
export async function isApprovedAtOnce(
  connection: Connection,
  organisation: string,
  request: KeyRequest,
): Promise<boolean> {
  const { configuration } = await settingsOf(connection, organisation, request);
  return configuration.require_key_approval === false;
}

async function readApproval(connection: Connection, organisation: string, id: string): Promise<Approval> {
  const request = await findRequest(connection, organisation, id);
  if (request === undefined) throw notFound();
  if (request.approved === true) throw alreadyProcessed();
  const { entry, configuration } = await settingsOf(connection, organisation, request);
  return { request, policies: policiesOf(request), kind: kindOf(request, entry), configuration };
}

/** The configuration of the catalogue entry where that overrides the organisation's. */
async function settingsOf(
  connection: Connection,
  organisation: string,
  request: KeyRequest,
): Promise<{ readonly entry: CatalogueEntry | undefined; readonly configuration: PortalConfiguration }> {
  const catalogue = await readCatalogue(connection, organisation);
  const [entry] = entriesFor(catalogue, policiesOf(request), request.version);
  const general = await readConfiguration(connection, organisation);
  return { entry, configuration: entry?.config?.override === true ? entry.config : general };
}

function kindOf({ oauth_info: oauth }: KeyRequest, entry: CatalogueEntry | undefined): CredentialKind {
  if (entry?.auth_type === "oauth" || (entry?.auth_type === undefined && oauth !== undefined)) return "oauth";
  return entry?.auth_type === "basic" ? "basic" : "token";
}

function alreadyProcessed() {
  return refusal(400, "Key request has already been processed.");
}

/** Only one of several transactions changes the row. */
async function takeRequest(connection: Writing, organisation: string, id: string): Promise<void> {
  const { numUpdatedRows } = await connection
    .updateTable("portal_requests")
    .set({ approved: 1 })
    .where("id", "=", id)
    .where("org_id", "=", organisation)
    .where("approved", "=", 0)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return;
  throw (await findRequest(connection, organisation, id)) === undefined ? notFound() : alreadyProcessed();
}

/** The developer, whose record nobody else changes until the transaction ends. */
async function lockDeveloper(
  connection: Writing,
  organisation: string,
  id: string,
): Promise<DeveloperRecord & { readonly id: string }> {
  // PostgreSQL locks the row that is written; SQLite has one writer anyway.
  await connection
    .updateTable("portal_developers")
    .set({ org_id: organisation })
    .where("id", "=", id)
    .where("org_id", "=", organisation)
    .execute();
  const developer = (await findDevelopers(connection, organisation, [id])).get(id);
  if (developer === undefined) throw refusal(400, "No developer found!");
  return { ...developer, id };
}

async function writeDeveloper(
  connection: Writing,
  developer: DeveloperRecord & { readonly id: string },
): Promise<void> {
  await connection
    .updateTable("portal_developers")
    .set({ record: JSON.stringify(developer) })
    .where("id", "=", developer.id)
    .execute();
}

async function giveKey(
  connection: Writing,
  organisation: string,
  { request, policies, kind, configuration }: Approval,
  developer: DeveloperRecord & { readonly id: string },
  key: NewKey,
): Promise<KeyAnswer> {
  const { keys = {}, subscriptions = {} } = developer;
  const isExtending = kind === "token" && configuration.enable_multi_selection === true;
  const former = await findFormerKey(connection, organisation, keys, request.key ?? "", isExtending);
  const removed = former === undefined ? [] : (request.remove_policies ?? []);
  const kept = former === undefined ? [] : (former.record.apply_policies ?? []);
  const all = [...new Set([...kept.filter((policy) => !removed.includes(policy)), ...policies])];
  const { id } = former ?? key;
  const record: StoredKey = {
    ...(former?.record ?? { ...key.record, org_id: organisation, meta_data: { developer_id: developer.id } }),
    apply_policies: all,
  };
  const row = {
    org_id: organisation,
    user_name: former?.userName ?? key.userName,
    record: JSON.stringify(record),
  };
  await (former === undefined
    ? connection.insertInto("keys").values({ key_hash: id, ...row })
    : connection.updateTable("keys").set({ record: row.record }).where("key_hash", "=", id)
  ).execute();
  const others = Object.entries(subscriptions).filter(
    ([policy, ofKey]) => !(ofKey === id && removed.includes(policy)),
  );
  await writeDeveloper(connection, {
    ...developer,
    keys: { ...keys, [id]: all },
    subscriptions: {
      ...Object.fromEntries(others),
      ...Object.fromEntries(policies.map((each) => [each, id])),
    },
  });
  await countChange(connection, "keys");
  return former === undefined ? key.answer : { RawKey: "", Password: "" };
}

/** A key that is there already, and of which nobody but the developer has more than the id. */
interface FormerKey {
  readonly id: string;
  readonly userName: string | null;
  readonly record: StoredKey;
}

/** The key of the developer's that the request names, or the first that there is where requests extend keys. */
async function findFormerKey(
  connection: Connection,
  organisation: string,
  keys: Readonly<Record<string, readonly string[]>>,
  named: string,
  isExtending: boolean,
): Promise<FormerKey | undefined> {
  const ids = Object.hasOwn(keys, named) ? [named] : isExtending ? Object.keys(keys) : [];
  for (const id of ids) {
    const row = await connection
      .selectFrom("keys")
      .select(["user_name", "record"])
      .where("key_hash", "=", id)
      .where("org_id", "=", organisation)
      .executeTakeFirst();
    const isFitting = row !== undefined && (id === named || row.user_name === null);
    if (isFitting) return { id, userName: row.user_name, record: JSON.parse(row.record) };
  }
  return undefined;
}

/** A client brings one policy: the first that is asked for. */
async function giveClient(
  connection: Writing,
  organisation: string,
  { request, policies, configuration }: Approval,
  developer: DeveloperRecord & { readonly id: string },
): Promise<ClientAnswer> {
  const { clientId, secret, secretHash } = createClient();
  const [policy = ""] = policies;
  const { oauth_app_description: description = "", oauth_use_case: useCase = "" } = request.fields ?? {};
  const { redirect_uri: redirect = "" } = request.oauth_info ?? {};
  const { oauth_usage_limit: limit } = configuration;
  const record: OauthClient = {
    client_id: clientId,
    secret_hash: secretHash,
    policy_id: policy,
    org_id: organisation,
    app_description: description,
    ...(limit !== undefined && { oauth_usage_limit: limit }),
    meta_data: { developer_id: developer.id },
  };
  await connection
    .insertInto("oauth_clients")
    .values({ client_id: clientId, org_id: organisation, policy_id: policy, record: JSON.stringify(record) })
    .execute();
  const clients = developer.oauth_clients ?? {};
  const client = {
    client_id: clientId,
    secret: "",
    redirect_uri: redirect,
    app_description: description,
    use_case: useCase,
    date_created: new Date().toISOString(),
  } as const;
  await writeDeveloper(connection, {
    ...developer,
    oauth_clients: { ...clients, [policy]: [...(clients[policy] ?? []), client] },
  });
  await countChange(connection, "oauth_clients");
  return { client_id: clientId, secret, policy_id: policy, redirect_uri: redirect };
}
