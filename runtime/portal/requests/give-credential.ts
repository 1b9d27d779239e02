// Issues the requested credential to a developer or a team: a key, a user or an OAuth client. Refuses credentials that
// none of the APIs of their policies accept.

import { GatewayError } from "../../errors.ts";
import type { AcceptedCredential, CredentialKind, FindAccepted } from "../../keys/accepted-credentials.ts";
import type { StoredKey } from "../../keys/stored-records.ts";
import { isRedirectUri } from "../../oauth/authorization-request.ts";
import type { OauthClient } from "../../oauth/clients.ts";
import { refusal } from "../../rest/answers.ts";
import { countChange, type StoreConnection, type StoreTransaction } from "../../store/store.ts";
import { isTeam, type OwnerRecord, writeOwner } from "../developers/owner-records.ts";
import type { KeyRequest } from "../generated/key-request.ts";
import type { PortalServices } from "../operation.ts";
import { expiryOf, getPolicies, type KnownPolicy } from "../policies/known-policies.ts";
import type { CheckedRequest } from "./checked-request.ts";
import { createClient, createKey, createUser, type KeyAnswer, type NewKey } from "./credentials.ts";
import {
  createCertificateKey,
  createRequestSigner,
  createTokenSigner,
  isKeySetAddress,
} from "./token-signers.ts";

/** The APIs of some policies and the credentials that at least one of their schemes accepts. */
interface CredentialOpening {
  /** Ids of the APIs. */
  readonly apis: readonly string[];
  readonly accepted: readonly AcceptedCredential[];
}

/**
 * Returns the credentials that the APIs of these policies accept. `undefined` if the policies name no API, or if it is
 * not known what one of the APIs accepts: it is open, or another gateway serves it.
 */
function findOpening(
  policies: readonly KnownPolicy[],
  acceptedBy: FindAccepted,
): CredentialOpening | undefined {
  const apis = [...new Set(policies.flatMap(({ access_rights: rights = {} }) => Object.keys(rights)))];
  const accepted = apis.map(acceptedBy);
  if (apis.length === 0 || accepted.some((each) => each === undefined)) return undefined;
  return { apis, accepted: accepted.flatMap((each) => each ?? []) };
}

/** The names of the kinds, as in `auth_type` of a catalogue entry. */
const authTypes: Readonly<Record<CredentialKind, string>> = {
  token: "authToken",
  basic: "basic",
  oauth: "oauth",
  jwt: "jwt",
  hmac: "hmac",
  mutualTLS: "mutualTLS",
};

/** Throws a `refusal` (400) if none of the APIs accepts a credential of one of these kinds. */
function refuseUnfit(kinds: readonly CredentialKind[], opening: CredentialOpening | undefined): void {
  if (opening === undefined || opening.accepted.some(({ kind }) => kinds.includes(kind))) return;
  const [kind = "token"] = kinds;
  const accepted = [...new Set(opening.accepted.map((each) => authTypes[each.kind]))];
  const apis = opening.apis.map((id) => `\`${id}\``).join(", ");
  const instead =
    accepted.length === 0
      ? "accept only credentials that the portal does not issue"
      : `accept ${accepted.map((each) => `\`${each}\``).join(", ")}`;
  const verb = opening.apis.length === 1 ? instead.replace("accept ", "accepts ") : instead;
  throw refusal(
    400,
    `A credential of the type \`${authTypes[kind]}\` would grant no access: ${apis} ${verb}. Change \`auth_type\` in the catalogue.`,
  );
}

/** Returns the possible kinds of an existing key. Its record does not show whether it stands for a certificate. */
export function kindsOf(record: StoredKey): readonly CredentialKind[] {
  if ((record.hmac_secret ?? "") !== "") return ["hmac"];
  if ((record.jwt_data?.secret ?? "") !== "") return ["jwt"];
  return record.basic_auth_data === undefined ? ["token", "mutualTLS"] : ["basic"];
}

/** An OAuth client. */
export interface ClientAnswer {
  readonly client_id: string;
  readonly secret: string;
  readonly policy_id: string;
  readonly redirect_uri: string;
}

/** A credential as the developer gets it, once. */
export type IssuedCredential = KeyAnswer | ClientAnswer;

/** Issues the credential to an owner, who is locked. Rejects with 400 if a policy no longer exists. */
export type Giving = (
  connection: StoreTransaction,
  organisation: string,
  owner: OwnerRecord,
) => Promise<IssuedCredential>;

/** The dependencies for creating credentials. */
export interface CredentialContext
  extends Pick<PortalServices, "store" | "policies" | "passwords" | "acceptedBy" | "keySets" | "authority"> {}

/**
 * Does the slow work and returns a function that does the rest in a transaction, which must not wait for a password
 * hash or for a request for a key set. Rejects with a `refusal` (400) if none of the APIs of the policies would accept
 * the credential.
 */
export async function prepareCredential(
  context: CredentialContext,
  organisation: string,
  checked: CheckedRequest,
): Promise<Giving> {
  const { store, policies: configured, acceptedBy } = context;
  const known = await store.read((connection) =>
    getPolicies(connection, configured, organisation, checked.policies),
  );
  const key = await createKeyOf(checked, organisation, context, findOpening(known, acceptedBy));
  if (key instanceof GatewayError) throw key;
  return async (connection, organisation, owner) => {
    const policies = await getPolicies(connection, configured, organisation, checked.policies);
    const opening = findOpening(policies, acceptedBy);
    return checked.kind === "oauth"
      ? giveClient(connection, organisation, { ...checked, opening }, owner)
      : giveKey(connection, organisation, { ...checked, key, known: policies, opening }, owner);
  };
}

/**
 * Rejects with a `refusal` (400) if the public key, secret, certificate or redirect URI that a developer sends with a
 * request could not be used. Key sets are read by the approval only: otherwise developers could send requests through
 * the gateway. A user has nothing to check, and the hash of a password is expensive.
 */
export async function checkProof(
  context: CredentialContext,
  organisation: string,
  checked: CheckedRequest,
): Promise<void> {
  const { kind, policies, request } = checked;
  if (kind === "basic" || (kind === "jwt" && isKeySetAddress(request.jwt_secret ?? ""))) return;
  const { store, policies: configured, acceptedBy } = context;
  const known = await store.read((connection) => getPolicies(connection, configured, organisation, policies));
  await createKeyOf(checked, organisation, context, findOpening(known, acceptedBy));
}

/**
 * Creates the key to issue if none is extended and no client is issued. Throws a `refusal` if the proof or a redirect
 * URI in the request is not valid.
 */
function createKeyOf(
  { kind, request }: CheckedRequest,
  organisation: string,
  { passwords, keySets, authority }: CredentialContext,
  opening: CredentialOpening | undefined,
): NewKey | Promise<NewKey | GatewayError> {
  if (kind === "oauth" && !redirectUrisOf(request).every(isRedirectUri))
    throw refusal(
      400,
      "`redirect_uri` must use https, http at localhost, or a private scheme such as `com.example.app:`.",
    );
  if (kind === "basic") return createUser(passwords);
  if (kind === "hmac") return createRequestSigner();
  if (kind === "jwt") {
    const signings = opening?.accepted.flatMap(({ signing }) => signing ?? []) ?? [];
    const isKnown = signings.length > 0;
    return createTokenSigner(request.jwt_secret ?? "", { keySets, ...(isKnown && { signings }) });
  }
  const subject = { name: request.by_user, organisation };
  return kind === "mutualTLS"
    ? createCertificateKey(request.certificate ?? "", authority, subject)
    : createKey();
}

/** A key that is issued unless an existing one is extended. */
interface KeyToGive extends CheckedRequest {
  readonly key: NewKey;
  readonly known: readonly KnownPolicy[];
  readonly opening: CredentialOpening | undefined;
}

async function giveKey(
  connection: StoreTransaction,
  organisation: string,
  { request, policies, kind, configuration, key, known, opening }: KeyToGive,
  owner: OwnerRecord,
): Promise<KeyAnswer> {
  const { keys = {}, subscriptions = {} } = owner;
  const isExtending = kind === "token" && configuration.enable_multi_selection === true;
  const former = await findFormerKey(connection, organisation, keys, request.key ?? "", isExtending);
  refuseUnfit(former === undefined ? [kind] : kindsOf(former.record), opening);
  const removed = former === undefined ? [] : (request.remove_policies ?? []);
  const kept = former === undefined ? [] : (former.record.apply_policies ?? []);
  const all = [...new Set([...kept.filter((policy) => !removed.includes(policy)), ...policies])];
  const { id } = former ?? key;
  const record: StoredKey = {
    ...(former?.record ?? { ...key.record, org_id: organisation, meta_data: ownedBy(owner) }),
    apply_policies: all,
    expires: soonest((former?.record ?? key.record).expires ?? 0, expiryOf(known)),
  };
  const row = { org_id: organisation, user_name: key.userName, record: JSON.stringify(record) };
  await (former === undefined
    ? connection.insertInto("keys").values({ key_hash: id, ...row })
    : connection.updateTable("keys").set({ record: row.record }).where("key_hash", "=", id)
  ).execute();
  const others = Object.entries(subscriptions).filter(
    ([policy, ofKey]) => !(ofKey === id && removed.includes(policy)),
  );
  await writeOwner(connection, {
    ...owner,
    keys: { ...keys, [id]: all },
    subscriptions: {
      ...Object.fromEntries(others),
      ...Object.fromEntries(policies.map((each) => [each, id])),
    },
  });
  await countChange(connection, "keys");
  return former === undefined ? key.answer : { RawKey: "", Password: "" };
}

/** Returns the metadata of sessions that names the owner of the credential. */
function ownedBy(owner: OwnerRecord): Readonly<Record<string, string>> {
  return isTeam(owner) ? { team_id: owner.id } : { developer_id: owner.id };
}

/** Returns the earlier of two expiries, where 0 means never. */
function soonest(one: number, other: number): number {
  return one === 0 || other === 0 ? Math.max(one, other) : Math.min(one, other);
}

/** An existing key. Only the developer knows the key itself. */
interface FormerKey {
  readonly id: string;
  readonly record: StoredKey;
}

/**
 * Returns the key of the owner that the request names or, if requests extend keys, the first existing one. Skips
 * expired keys, because they would stay useless.
 */
async function findFormerKey(
  connection: StoreConnection,
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
    if (row === undefined || (id !== named && row.user_name !== null)) continue;
    const record: StoredKey = JSON.parse(row.record);
    const { expires = 0 } = record;
    if (expires === 0 || expires > Date.now() / 1000) return { id, record };
  }
  return undefined;
}

/** Returns the redirect URIs of a request, which separates several by commas. */
function redirectUrisOf({ oauth_info: info }: KeyRequest): readonly string[] {
  const parts = (info?.redirect_uri ?? "").split(",").map((each) => each.trim());
  return parts.filter((each) => each !== "");
}

/** Issues a client. A client has one policy: the first requested one. */
async function giveClient(
  connection: StoreTransaction,
  organisation: string,
  {
    request,
    policies,
    configuration,
    opening,
  }: CheckedRequest & { readonly opening: CredentialOpening | undefined },
  owner: OwnerRecord,
): Promise<ClientAnswer> {
  refuseUnfit(["oauth"], opening);
  const { clientId, secret, secretHash } = createClient();
  const [policy = ""] = policies;
  const { oauth_app_description: description = "", oauth_use_case: useCase = "" } = request.fields ?? {};
  const { redirect_uri: redirect = "" } = request.oauth_info ?? {};
  const redirectUris = redirectUrisOf(request);
  const { oauth_usage_limit: limit } = configuration;
  const record: OauthClient = {
    client_id: clientId,
    secret_hash: secretHash,
    policy_id: policy,
    org_id: organisation,
    app_description: description,
    ...(redirectUris.length === 1 && { redirect_uri: redirect.trim() }),
    ...(redirectUris.length > 1 && { redirect_uris: redirectUris }),
    ...(limit !== undefined && { oauth_usage_limit: limit }),
    meta_data: ownedBy(owner),
  };
  await connection
    .insertInto("oauth_clients")
    .values({ client_id: clientId, org_id: organisation, policy_id: policy, record: JSON.stringify(record) })
    .execute();
  const clients = owner.oauth_clients ?? {};
  // Ids are arbitrary and may equal the name of an inherited property.
  const known = Object.hasOwn(clients, policy) ? (clients[policy] ?? []) : [];
  const client = {
    client_id: clientId,
    secret: "",
    redirect_uri: redirect,
    app_description: description,
    use_case: useCase,
    date_created: new Date().toISOString(),
  };
  await writeOwner(connection, {
    ...owner,
    oauth_clients: { ...clients, [policy]: [...known, client] },
  });
  await countChange(connection, "oauth_clients");
  return { client_id: clientId, secret, policy_id: policy, redirect_uri: redirect };
}
