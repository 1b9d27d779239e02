// Giving a developer or a team what is asked for: a key, a user or an OAuth client. What no scheme of the APIs accepts that its
// policies are for is refused before.

import { GatewayError } from "../../errors.ts";
import type { AcceptedCredential, CredentialKind, FindAccepted } from "../../keys/accepted-credentials.ts";
import type { StoredKey } from "../../keys/stored-records.ts";
import type { OauthClient } from "../../oauth/clients.ts";
import { refusal } from "../../rest/answers.ts";
import { countChange, type StoreConnection, type Writing } from "../../store/store.ts";
import { isTeam, type OwnerRecord, writeOwner } from "../developers/owner-records.ts";
import type { Services } from "../operation.ts";
import { expiryOf, getPolicies, type KnownPolicy } from "../policies/known-policies.ts";
import type { CheckedRequest } from "./asked.ts";
import { createClient, createKey, createUser, type KeyAnswer, type NewKey } from "./credentials.ts";
import { createCertificateKey, createRequestSigner, createTokenSigner } from "./token-signers.ts";

/** The APIs of some policies, and the credentials that they accept, each API at least one scheme's. */
interface CredentialOpening {
  /** Ids. */
  readonly apis: readonly string[];
  readonly accepted: readonly AcceptedCredential[];
}

/**
 * What the APIs of these policies accept. `undefined` where one of them may accept anything: it is open, or another
 * gateway serves it; and where the policies name no API.
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

/** Names of kinds, as `auth_type` of a catalogue entry writes them. */
const authTypes: Readonly<Record<CredentialKind, string>> = {
  token: "authToken",
  basic: "basic",
  oauth: "oauth",
  jwt: "jwt",
  hmac: "hmac",
  mutualTLS: "mutualTLS",
};

/** Throws a `refusal` (400) where none of the APIs accepts a credential of one of these kinds. */
function refuseUnfit(kinds: readonly CredentialKind[], opening: CredentialOpening | undefined): void {
  if (opening === undefined || opening.accepted.some(({ kind }) => kinds.includes(kind))) return;
  const [kind = "token"] = kinds;
  const accepted = [...new Set(opening.accepted.map((each) => authTypes[each.kind]))];
  const apis = opening.apis.map((id) => `\`${id}\``).join(", ");
  const instead =
    accepted.length === 0
      ? "accept only credentials that the portal does not give out"
      : `accept ${accepted.map((each) => `\`${each}\``).join(", ")}`;
  const verb = opening.apis.length === 1 ? instead.replace("accept ", "accepts ") : instead;
  throw refusal(
    400,
    `A credential of the type \`${authTypes[kind]}\` would open nothing: ${apis} ${verb}. Change \`auth_type\` in the catalogue.`,
  );
}

/** What a key that is there may be used as: that a certificate stands for it, its record does not say. */
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

/** What a developer gets once. */
export type IssuedCredential = KeyAnswer | ClientAnswer;

/** Gives what was asked for to an owner that is locked; rejects with 400 where a policy is not there any more. */
export type Giving = (
  connection: Writing,
  organisation: string,
  owner: OwnerRecord,
) => Promise<IssuedCredential>;

/** What credentials are made with. */
export interface CredentialContext
  extends Pick<Services, "store" | "policies" | "passwords" | "acceptedBy" | "keySets" | "authority"> {}

/**
 * Makes ready what takes long, and gives what does the rest in a transaction: hashing a password takes its time on
 * purpose, and a key set is fetched; others shall not wait for it. Rejects with a `refusal` (400) for a credential that
 * would open none of the APIs of its policies.
 */
export async function prepareCredential(
  context: CredentialContext,
  organisation: string,
  asked: CheckedRequest,
): Promise<Giving> {
  const { store, policies: configured, acceptedBy } = context;
  const known = await store.read((connection) =>
    getPolicies(connection, configured, organisation, asked.policies),
  );
  const key = await createKeyOf(asked, organisation, context, findOpening(known, acceptedBy));
  if (key instanceof GatewayError) throw key;
  return async (connection, organisation, owner) => {
    const policies = await getPolicies(connection, configured, organisation, asked.policies);
    const opening = findOpening(policies, acceptedBy);
    return asked.kind === "oauth"
      ? giveClient(connection, organisation, { ...asked, opening }, owner)
      : giveKey(connection, organisation, { ...asked, key, known: policies, opening }, owner);
  };
}

/** What is given where no key is extended; throws a `refusal` where what was sent along is of no use. */
function createKeyOf(
  { kind, request }: CheckedRequest,
  organisation: string,
  { passwords, keySets, authority }: CredentialContext,
  opening: CredentialOpening | undefined,
): NewKey | Promise<NewKey | GatewayError> {
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

/** A key that is made if none is extended. */
interface AskedKey extends CheckedRequest {
  readonly key: NewKey;
  readonly known: readonly KnownPolicy[];
  readonly opening: CredentialOpening | undefined;
}

async function giveKey(
  connection: Writing,
  organisation: string,
  { request, policies, kind, configuration, key, known, opening }: AskedKey,
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

/** What sessions say of who has a credential. */
function ownedBy(owner: OwnerRecord): Readonly<Record<string, string>> {
  return isTeam(owner) ? { team_id: owner.id } : { developer_id: owner.id };
}

/** Of two expiries the one that comes first; 0 is never. */
function soonest(one: number, other: number): number {
  return one === 0 || other === 0 ? Math.max(one, other) : Math.min(one, other);
}

/** A key that is there already, of which only the developer has more than the id. */
interface FormerKey {
  readonly id: string;
  readonly record: StoredKey;
}

/**
 * The key of the developer's that the request names, or the first that there is where requests extend keys. One that has
 * expired is not extended: it would stay of no use.
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

/** A client brings one policy: the first that is asked for. */
async function giveClient(
  connection: Writing,
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
  const { oauth_usage_limit: limit } = configuration;
  const record: OauthClient = {
    client_id: clientId,
    secret_hash: secretHash,
    policy_id: policy,
    org_id: organisation,
    app_description: description,
    ...(redirect !== "" && { redirect_uri: redirect }),
    ...(limit !== undefined && { oauth_usage_limit: limit }),
    meta_data: ownedBy(owner),
  };
  await connection
    .insertInto("oauth_clients")
    .values({ client_id: clientId, org_id: organisation, policy_id: policy, record: JSON.stringify(record) })
    .execute();
  const clients = owner.oauth_clients ?? {};
  // Ids are anything: one may be called like what objects inherit.
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
