// Credentials of every kind, and the changes that end each of them.

import { createHmac } from "node:crypto";
import { introspection } from "../../../runtime/protections/authentication/introspection.ts";
import { jwt } from "../../../runtime/protections/authentication/jwt.ts";
import { jwtOfKeys } from "../../../runtime/protections/authentication/jwt-of-keys.ts";
import { mutualTls } from "../../../runtime/protections/authentication/mutual-tls.ts";
import { signedRequests } from "../../../runtime/protections/authentication/signed-requests.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { until } from "../../harness/wait.ts";
import { createSigner, startIssuer } from "../protections/authentication/signers.ts";
import { type Client, type OpenConnection, statusAt } from "./open-connections.ts";
import { createDeveloper, createPolicy, type TestPortal } from "./portals.ts";
import { type Receiver, receiver } from "./receivers.ts";
import { subscribe } from "./webhook-parts.ts";

/** Signs tokens without an issuer. */
export const signer = await createSigner("ES256");
const issuer = await startIssuer();
const published = await createSigner("ES256", "first");
const replacement = await createSigner("ES256", "second");
/** Signs tokens of developers. */
export const ofDeveloper = await createSigner("ES256", "developer");
/** Tokens that their issuer has revoked. */
const takenBack = new Set<string>();
issuer.replies.set("/introspect", (body) => {
  const token = new URLSearchParams(body).get("token") ?? "";
  return { body: { active: token.startsWith("asked") && !takenBack.has(token), sub: "ann" } };
});

/** A credential of a caller, and the ids with which it can be revoked. */
export interface Given extends Client {
  readonly kind: string;
  /** The id of the developer or the team. */
  readonly developer: string;
  readonly policy: string;
  /** The id of the key; for a webhook its path. */
  readonly key: string;
}

/** Returns the header fields of a credential, or a client with a certificate. */
type Give = (
  portal: TestPortal,
  developer: string,
  policy: string,
) => Promise<Readonly<Record<string, string>> | Client>;

/** The authority and the certificates of clients. */
export const certificates = await createCertificates();
/** The certificate of the authority. */
export const { cert: ca } = certificates.authority;
/** The receivers of webhooks by the path of each. */
const subscribers = new Map<string, Receiver>();
const password = "correct horse battery";

const credentials: Readonly<Record<string, Give>> = {
  async key(portal, developer, policy) {
    const { body } = await portal.ask("POST", `/developers/${developer}/keys`, { apply_policies: [policy] });
    return { "X-Api-Key": body.RawKey };
  },
  async team(portal, team, policy) {
    const { body } = await portal.ask("POST", `/teams/${team}/keys`, { apply_policies: [policy] });
    return { "X-Api-Key": body.RawKey };
  },
  async user(portal, developer, policy) {
    const { body } = await portal.ask("POST", `/developers/${developer}/keys`, { apply_policies: [policy] });
    return { authorization: `Basic ${Buffer.from(`${body.RawKey}:${body.Password}`).toString("base64")}` };
  },
  async client(portal, developer, policy) {
    const { body } = await portal.ask("POST", `/developers/${developer}/keys`, {
      apply_policies: [policy],
      oauth_info: { redirect_uri: "https://a.example/back" },
    });
    return { authorization: `Bearer ${await tokenOf(portal, body)}` };
  },
  async signer(portal, developer, policy) {
    const { body } = await portal.ask("POST", `/developers/${developer}/keys`, { apply_policies: [policy] });
    const date = new Date().toUTCString();
    const signature = createHmac("sha256", body.Password).update(`x-aux-date: ${date}`).digest("base64");
    const authorization = `Signature keyId="${body.RawKey}",algorithm="hmac-sha256",headers="x-aux-date",signature="${signature}"`;
    return { authorization, "x-aux-date": date };
  },
  async "own token"(portal, developer, policy) {
    const asked = { apply_policies: [policy], jwt_secret: ofDeveloper.publicKey };
    const { body } = await portal.ask("POST", `/developers/${developer}/keys`, asked);
    return { "x-own": `Bearer ${await ofDeveloper.sign({}, { kid: body.RawKey })}` };
  },
  async certificate(portal, developer, policy) {
    const { cert, key } = await certificates.another(`of-${developer}`);
    const asked = { apply_policies: [policy], certificate: cert };
    await portal.ask("POST", `/developers/${developer}/keys`, asked);
    return { headers: {}, tls: { ca, cert, key } };
  },
  async session(portal, developer) {
    return { cookie: await cookieOf(portal, developer) };
  },
  async webhook(portal, developer, policy) {
    catalogue.push({ policy_id: policy, webhooks: { enabled: true, events: ["order.made"] } });
    await writeCatalogue(portal);
    const { body } = await portal.ask("POST", "/apps", {
      name: "Till",
      by_user: developer,
      products: [policy],
    });
    const reported = await receiver();
    subscribers.set((await subscribe(portal, body.Message, { url: reported.url })).path, reported);
    return {};
  },
  async asked(_, developer) {
    return { "x-asked": `Bearer asked-${developer}` };
  },
  async published(_, developer, policy) {
    issuer.replies.set("/keys", { body: { keys: [published.jwk] } });
    return { "x-published": `Bearer ${await published.sign({ sub: developer, pol: policy })}` };
  },
  async token(_, developer, policy) {
    return { authorization: `Bearer ${await signer.sign({ sub: developer, pol: policy })}` };
  },
};

async function tokenOf(portal: TestPortal, { client_id: id, secret }: Readonly<Record<string, unknown>>) {
  const form = { grant_type: "client_credentials", client_id: String(id), client_secret: String(secret) };
  const granted = await fetch(`${portal.url}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams(form),
  });
  const { access_token: token } = JSON.parse(await granted.text());
  clients.set(token, form);
  return token;
}
const clients = new Map<string, { readonly client_id: string; readonly client_secret: string }>();

/** Returns the cookie of a developer or of a member of a team, who logs in for it. */
async function cookieOf(portal: TestPortal, owner: string): Promise<string> {
  const developer = memberOf.get(owner) ?? owner;
  await portal.ask("POST", `/developers/password/${developer}`, { password });
  const { body } = await portal.ask("GET", `/developers/${developer}`);
  const response = await fetch(`${portal.url}/portal/entrance/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: body.email, password }),
  });
  await response.arrayBuffer();
  return response.headers.getSetCookie()[0]?.split(";", 1)[0] ?? "";
}
/** A member of each team. */
const memberOf = new Map<string, string>();

/** Ends the right by a change at `portal`, while connections are open at `served`. */
type End = (portal: TestPortal, given: Given, served: TestPortal) => Promise<{ status: number } | undefined>;

/** Waits until new requests are refused. */
async function untilRefused(url: string, given: Given): Promise<undefined> {
  const refused = async () => [401, 403].includes(await statusAt(`${url}/orders/upstream`, given));
  await until(refused, { what: "the refusal of new requests" });
  return undefined;
}

/** Returns the path of the owner of a credential. */
function ownerOf({ kind, developer }: Given): string {
  return `/${kind === "team" ? "teams" : "developers"}/${developer}`;
}
const changePolicy =
  (change: object): End =>
  async (portal, { policy }) => {
    const { body } = await portal.ask("GET", `/policies/${policy}`);
    return portal.ask("PUT", `/policies/${policy}`, { ...body, ...change });
  };

const ownerEnds: Readonly<Record<string, End>> = {
  "its owner is deleted": (portal, given) => portal.ask("DELETE", ownerOf(given)),
  async "its owner is deactivated"(portal, given) {
    const { kind, developer: name } = given;
    const { body } = kind === "team" ? { body: { name } } : await portal.ask("GET", ownerOf(given));
    return portal.ask("PUT", ownerOf(given), { ...body, inactive: true });
  },
};
const policyEnds: Readonly<Record<string, End>> = {
  "its policy is deleted": (portal, { policy }) => portal.ask("DELETE", `/policies/${policy}`),
  "its policy is denied": changePolicy({ state: "deny" }),
  "its policy is narrowed": changePolicy({ access_rights: { others: {} } }),
};
const deletion: Readonly<Record<string, End>> = {
  "it is deleted": (portal, given) => portal.ask("DELETE", `${ownerOf(given)}/keys/${given.key}`),
};
/** Changes of the records of keys. The token endpoint determines when tokens expire. */
const keyEnds: Readonly<Record<string, End>> = {
  ...deletion,
  async "it gets another policy"(portal, given) {
    const other = await createPolicy(portal, `others of ${given.developer}`, {
      access_rights: { others: {} },
    });
    return portal.ask("PUT", `${ownerOf(given)}/keys/${given.key}`, { apply_policies: [other] });
  },
  async "it expires"(portal, given, { url }) {
    const brief = await createPolicy(portal, `brief of ${given.developer}`, { key_expires_in: 1 });
    await portal.ask("PUT", `${ownerOf(given)}/keys/${given.key}`, { apply_policies: [brief] });
    return untilRefused(url, given);
  },
};
/** Other requests use up the quota, on any gateway with the same counters. */
const quotaEnds: Readonly<Record<string, End>> = {
  async "its quota is used up"(portal, given) {
    await changePolicy({ quota_max: 1, quota_renewal_rate: 3600 })(portal, given, portal);
    return untilRefused(portal.url, given);
  },
};
/** Returns the proof for the next credential, if its developer provides one. */
const nextProofs: Readonly<Record<string, (developer: string) => Promise<object>>> = {
  "own token": async () => ({ jwt_secret: replacement.publicKey }),
  certificate: async (developer) => ({
    certificate: (await certificates.another(`next-of-${developer}`)).cert,
  }),
};
const rotation: Readonly<Record<string, End>> = {
  async "it is rotated"(portal, { kind, developer, key }) {
    const cookie = await cookieOf(portal, developer);
    const path = kind === "team" ? `/teams/${developer}/keys` : "/keys";
    const proof = await nextProofs[kind]?.(developer);
    return fetch(`${portal.url}/portal/own${path}/${key}/rotate`, {
      method: "POST",
      headers: { cookie, ...(proof && { "content-type": "application/json" }) },
      ...(proof && { body: JSON.stringify(proof) }),
    });
  },
};
const sessionEnds: Readonly<Record<string, End>> = {
  "its password is changed": (portal, { developer }) =>
    portal.ask("POST", `/developers/password/${developer}`, { password: `another ${password}` }),
  "its developer logs out": ({ url }, { headers }) =>
    fetch(`${url}/portal/entrance/login`, { method: "DELETE", headers }),
};
const webhookEnds: Readonly<Record<string, End>> = {
  "it is deleted": (portal, { key }) => portal.ask("DELETE", key),
  "it is switched off": async (portal, { key }) => {
    const { body } = await portal.ask("GET", key);
    return portal.ask("PUT", key, { url: body.url, events: body.events, disabled: true });
  },
  "its app is deleted": (portal, { key }) => portal.ask("DELETE", key.slice(0, key.indexOf("/webhooks"))),
  async "its product offers it no more"(portal, { policy }) {
    catalogue = catalogue.filter((entry) => !("webhooks" in entry) || Object(entry).policy_id !== policy);
    catalogue.push({ policy_id: policy });
    return writeCatalogue(portal);
  },
};
const tokenEnds: Readonly<Record<string, End>> = {
  async "its token is revoked"({ url }, { headers }) {
    const token = (headers.authorization ?? "").replace("Bearer ", "");
    const body = new URLSearchParams({ token, ...clients.get(token) });
    return fetch(`${url}/oauth/revoke`, { method: "POST", body });
  },
};
const issuerEnds: Readonly<Record<string, End>> = {
  async "its issuer takes it back"(_, { headers }) {
    takenBack.add((headers["x-asked"] ?? "").replace("Bearer ", ""));
    return undefined;
  },
};
const keySetEnds: Readonly<Record<string, End>> = {
  /** A token with an unknown key makes the gateway fetch the keys again. */
  async "the key of its issuer is replaced"(_, given, { url }) {
    issuer.replies.set("/keys", { body: { keys: [replacement.jwk] } });
    return untilRefused(url, given);
  },
};

/** The changes that end each kind of credential. A separate test below checks the expiry of tokens. */
export const ends: Readonly<Record<string, readonly Readonly<Record<string, End>>[]>> = {
  key: [ownerEnds, policyEnds, keyEnds, quotaEnds, rotation],
  team: [ownerEnds, policyEnds, keyEnds, rotation],
  user: [ownerEnds, policyEnds, keyEnds, rotation],
  client: [ownerEnds, policyEnds, deletion, quotaEnds, rotation, tokenEnds],
  signer: [ownerEnds, policyEnds, keyEnds, rotation],
  "own token": [ownerEnds, policyEnds, keyEnds, rotation],
  certificate: [ownerEnds, policyEnds, keyEnds, rotation],
  session: [ownerEnds, sessionEnds],
  webhook: [ownerEnds, webhookEnds],
  asked: [issuerEnds],
  published: [policyEnds, keySetEnds],
  token: [policyEnds, quotaEnds],
};

/** The schemes of an API that accepts all of them. */
export const protectedBy = {
  signed: jwt({
    header: "Authorization",
    signingMethod: "ecdsa",
    source: signer.publicKey,
    policyFieldName: "pol",
  }),
  signer: signedRequests({ header: "Authorization" }),
  own: jwtOfKeys({ header: "X-Own", signingMethod: "ecdsa" }),
  certificate: mutualTls({}),
  asked: introspection({
    header: "X-Asked",
    identity: "oauth_key",
    introspection: { url: `${issuer.url}/introspect` },
  }),
  published: jwt({
    header: "X-Published",
    signingMethod: "ecdsa",
    jwksURIs: [{ url: `${issuer.url}/keys`, cacheTimeout: 400 }],
    policyFieldName: "pol",
  }),
};

/** Gives a new developer a credential of that kind. */
export async function give(portal: TestPortal, kind: string): Promise<Given> {
  const isTeam = kind === "team";
  const developer = isTeam ? await createTeam(portal) : await createDeveloper(portal);
  const policy = await createPolicy(portal, `${kind} of ${developer}`);
  const type = { user: "basic", signer: "hmac", "own token": "jwt", certificate: "mutualTLS" }[kind];
  if (type !== undefined) catalogue.push({ policy_id: policy, auth_type: type });
  if (type !== undefined) await writeCatalogue(portal);
  const made = (await credentials[kind]?.(portal, developer, policy)) ?? {};
  const client = isClient(made) ? made : { headers: made, tls: { ca } };
  const { body } = await portal.ask("GET", `/${isTeam ? "teams" : "developers"}/${developer}`);
  const token = (client.headers.authorization ?? "").replace("Bearer ", "");
  const [subscription = ""] = kind === "webhook" ? [...subscribers.keys()].slice(-1) : [];
  const key = Object.keys(Object(body.keys))[0] ?? clients.get(token)?.client_id ?? subscription;
  return { kind, ...client, developer, policy, key };
}
let catalogue: object[] = [];

/** Clears the catalogue, because its store is no longer used. */
export function forgetCatalogue(): void {
  catalogue = [];
}

/** Closes everything that this module has started. */
export async function closeAll(): Promise<void> {
  await Promise.all([issuer.close(), ...[...subscribers.values()].map((each) => each.close())]);
}

function isClient(made: Readonly<Record<string, string>> | Client): made is Client {
  return typeof made.headers === "object";
}

/** Replaces the catalogue, or creates the first one. */
async function writeCatalogue(portal: TestPortal) {
  const answer = await portal.ask("PUT", "/catalogue", { apis: catalogue });
  return answer.status === 200 ? answer : portal.ask("POST", "/catalogue", { apis: catalogue });
}

/** Returns the deliveries of a webhook as a connection. Its receiver is not notified of the end. */
export function openWebhook({ key }: Given): OpenConnection {
  return {
    kind: "webhook",
    get got() {
      return subscribers.get(key)?.bodies() ?? [];
    },
    ended: Promise.resolve(""),
    close() {},
  };
}

/** Creates a team with a member. */
async function createTeam(portal: TestPortal): Promise<string> {
  const member = await createDeveloper(portal);
  const { body } = await portal.ask("POST", "/teams", { name: `Team of ${member}` });
  const team = String(body.Message);
  await portal.ask("PUT", `/teams/${team}/members/${member}`, { role: "owner" });
  memberOf.set(team, member);
  return team;
}
