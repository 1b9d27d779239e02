// Single sign-on at the portal's page. Developers who sign in at a provider get the same session as with a password;
// administrators get a session of their own kind.

import type { IncomingMessage } from "node:http";
import { GatewayError } from "../../errors.ts";
import type { ChainStep } from "../../http/call.ts";
import { readCookie, writeCookie } from "../../http/cookies.ts";
import { sendPageFile } from "../../http/page-file.ts";
import { hashKey } from "../../keys/key-hash.ts";
import { createToken } from "../../oauth/tokens.ts";
import { isOtherSite } from "../../rest/access.ts";
import { refusal, refuseDuplicate } from "../../rest/answers.ts";
import { factsOf, hashRules, type SignOnHost, subjectKey, withSignOn } from "../../sign-on/host.ts";
import { beganBefore, type EndedByProvider, type SignedIn } from "../../sign-on/provider.ts";
import { completeSettings, findRule, groupsOf, type SignOnSettings } from "../../sign-on/settings.ts";
import { signOnStep } from "../../sign-on/sign-on.ts";
import type { Store } from "../../store/store.ts";
import type { SignOnTable } from "../../store/tables.ts";
import { isAddress } from "../developers/addresses.ts";
import { lockDeveloper, writeDeveloper } from "../developers/developer-records.ts";
import { createDeveloper, findDeveloper } from "../developers/developers.ts";
import type { DeveloperRecord } from "../developers/owner-records.ts";
import { type PortalServices, portalPath } from "../operation.ts";
import { pageDocuments } from "../page/languages.ts";
import { findSession, openSession, sessionCookie, sessionToken } from "../page/sessions.ts";
import type { PortalSignOn, PortalSignOnContext } from "./contract.ts";

/** A rule that assigns a role. The first matching rule applies. */
export interface PortalRole {
  /** A group; `*` matches everybody. */
  readonly value: string;
  readonly role: "administrator" | "developer";
  /** The organisation of the portal by default. */
  readonly organisation?: string;
}

/** The `single_sign_on` block of a portal. */
export interface PortalSignOnOptions extends SignOnSettings {
  /** By default everybody is a developer. */
  readonly roles?: readonly PortalRole[];
  /** Whether developers may log in with passwords as well; `true` by default. */
  readonly passwords?: boolean;
  /** Whether developers without an account get one; `true` by default. */
  readonly create_developers?: boolean;
  /** Whether accounts are found by verified e-mail addresses; `false` by default. */
  readonly link_by_email?: boolean;
}

const cookie = "portal_administrator";
const secretVariable = "GW_PORTAL_CLIENT_SECRET";

/** Returns single sign-on, with the client secret in `GW_PORTAL_CLIENT_SECRET`. */
export function portalSignOn(options: PortalSignOnOptions): PortalSignOn {
  return {
    configure(env) {
      const secret = env.text(secretVariable);
      return { start: (context) => start(options, secret, context) };
    },
  };
}

function start(options: PortalSignOnOptions, secret: string, context: PortalSignOnContext) {
  const { services, signal } = context;
  const host = hostOf(options, context);
  const signOn = signOnStep({ settings: options, secret, host, log: services.log, signal });
  const { passwords = true } = options;
  const { name } = completeSettings(options);
  const documentFor = pageDocuments(services.languages, (document) =>
    withSignOn(document, { name, passwords }),
  );
  const step: ChainStep = (call) => {
    const { path, transport, verb, request } = call;
    const [first, second] = path.segments;
    if (first !== "portal" || transport.kind !== "http") return "next";
    if (second === "" && (verb === "GET" || verb === "HEAD")) {
      return sendPageFile(documentFor(request.headers), request, transport.response).then(() => "done");
    }
    // All these POST requests use passwords. Ending a session is a DELETE request.
    if (second === "entrance" && !passwords && verb === "POST")
      return new GatewayError(403, "Passwords are switched off. Use single sign-on.");
    return signOn(call);
  };
  return {
    step,
    async administratorOf(request: IncomingMessage) {
      const found = await host.administratorOf(request);
      return found && { organisation: found.org_id, name: found.name, id: found.subject };
    },
  };
}

function hostOf(
  options: PortalSignOnOptions,
  { organisation: own, services }: PortalSignOnContext,
): SignOnHost & { administratorOf(request: IncomingMessage): ReturnType<typeof administratorOf> } {
  const { store } = services;
  const { roles = [{ value: "*", role: "developer" }], create_developers: creates = true } = options;
  const { claim, url } = completeSettings(options);
  const { issuer, link_by_email: linksByEmail = false } = options;
  const rulesHash = hashRules(options, roles, own);
  const find = (request: IncomingMessage) => administratorOf(request, { rulesHash, url, store });
  return {
    administratorOf: find,
    purpose: "portal",
    path: "/portal/sign-in",
    home: "/portal/",
    async begin(session) {
      const rule = findRule<PortalRole>(roles, groupsOf(session.claims, claim));
      if (rule === undefined) return refusal(403, "None of your groups may use this portal.");
      const { role, organisation = own } = rule;
      const record = { ...factsOf(session), rules_hash: rulesHash, org_id: organisation, role };
      if (role === "administrator") {
        const token = await keepSignOn(store, record);
        return [
          ...administratorCookies(token, session.lifetime, session.isSecure),
          sessionCookie("", 0, session.isSecure),
        ];
      }
      const developer = await developerOf(services, organisation, session, { creates, linksByEmail });
      if (developer instanceof GatewayError) return developer;
      const seconds = Math.floor(session.lifetime / 1000);
      const token = await openSession(store, organisation, developer, seconds);
      await keepSignOn(store, { ...record, name: developer.email }, token);
      return [
        sessionCookie(token, seconds, session.isSecure),
        ...administratorCookies("", 0, session.isSecure),
      ];
    },
    async find(request) {
      const administrator = await find(request);
      if (administrator !== undefined) return { role: "administrator", name: administrator.name };
      const developer = await findSession(store, request.headers.cookie ?? "");
      return developer && { role: "developer", name: developer.developer.email };
    },
    async end(request, isSecure) {
      const cookies = request.headers.cookie ?? "";
      const tokens = [sessionToken(cookies), readCookie(cookies, cookie)].filter(
        (each) => each !== undefined,
      );
      const idToken = await dropSignOns(store, tokens);
      return { idToken, cookies: [sessionCookie("", 0, isSecure), ...administratorCookies("", 0, isSecure)] };
    },
    endAll: (ended) => dropEnded(store, issuer, ended),
  };
}

/** Returns the administrator session of a request, unless the request comes from another site. */
async function administratorOf(
  request: IncomingMessage,
  {
    rulesHash,
    url,
    store,
  }: { rulesHash: string; url: string; store: PortalSignOnContext["services"]["store"] },
) {
  const token = readCookie(request.headers.cookie ?? "", cookie);
  if (token === undefined || isOtherSite(request, new URL(url).host)) return undefined;
  const found = await findSignOn(store, token, rulesHash);
  return found?.role === "administrator" ? found : undefined;
}

/**
 * Returns cookies for the page and for the API of administrators. Other APIs, and their upstreams, do not receive them.
 */
function administratorCookies(value: string, lifetime: number, isSecure: boolean): readonly string[] {
  const maxAge = Math.floor(lifetime / 1000);
  return ["/portal", portalPath].map((path) =>
    writeCookie(cookie, value, { path, maxAge, sameSite: "Strict", isSecure }),
  );
}

/** Rules for creating and finding accounts. */
interface AccountRules {
  /** Whether a person without an account gets one. */
  readonly creates: boolean;
  /** Whether an account without `sso_key` is found by an e-mail address that the provider verified. */
  readonly linksByEmail: boolean;
}

/**
 * Returns the developer whose `sso_key` names the issuer and the subject. Otherwise, if the rules allow it, returns the
 * one with the verified e-mail address or creates one. Resolves with an error that explains why there is none.
 */
async function developerOf(
  services: Pick<PortalServices, "store" | "passwords">,
  organisation: string,
  { claims }: Pick<SignedIn, "claims">,
  rules: AccountRules,
): Promise<DeveloperRecord | GatewayError> {
  const { store } = services;
  const key = subjectKey(claims);
  const find = (column: "id" | "email" | "sso_key", value: string) =>
    store.read((connection) => findDeveloper(connection, organisation, column, value));
  const known = await find("sso_key", key);
  if (known !== undefined) return active(known);
  const { email, email_verified: isVerified } = claims;
  if (typeof email !== "string" || !isAddress(email) || isVerified !== true)
    return refusal(403, "There is no account for you, and the provider names no verified e-mail address.");
  const namesake = await find("email", email);
  if (namesake !== undefined) {
    if (!rules.linksByEmail || (namesake.sso_key ?? "") !== "") return taken();
    return link(services, organisation, namesake.id, key);
  }
  if (!rules.creates) return refusal(403, "There is no account for you. Ask an administrator for one.");
  const made = await create(services, organisation, { email, key });
  if (made instanceof GatewayError) return made;
  return (await find("id", made)) ?? taken();
}

function active(developer: DeveloperRecord): DeveloperRecord | GatewayError {
  return developer.inactive === true ? refusal(403, "Your account is inactive.") : developer;
}

function taken(): GatewayError {
  return refusal(
    403,
    "Another account has your e-mail address. Ask an administrator to connect it with you.",
  );
}

/** Connects an account with a subject, unless it was connected in the meantime. */
function link(
  { store }: Pick<PortalServices, "store">,
  organisation: string,
  id: string,
  key: string,
): Promise<DeveloperRecord | GatewayError> {
  return store.transact(async (connection) => {
    const developer = await lockDeveloper(connection, organisation, id);
    if (developer === undefined || (developer.sso_key ?? "") !== "") return taken();
    const linked = { ...developer, sso_key: key };
    if (developer.inactive !== true) await writeDeveloper(connection, linked);
    return active(linked);
  });
}

/** Creates an account and returns its id, or the portal's refusal, which is shown to the person. */
async function create(
  services: Pick<PortalServices, "store" | "passwords">,
  organisation: string,
  { email, key }: { readonly email: string; readonly key: string },
): Promise<string | GatewayError> {
  try {
    return await createDeveloper(services, organisation, { email, sso_key: key });
  } catch (error) {
    // Two concurrent first sign-ins, or an address that is not valid.
    if (error instanceof GatewayError && error.status < 500) return error.status === 409 ? taken() : error;
    throw error;
  }
}

/** The data of a new session. */
interface SignOnRecord extends Omit<SignOnTable, "token_hash" | "expires"> {
  /** The duration in milliseconds. */
  readonly lifetime: number;
}

/**
 * Stores a session and returns its token, which is `token` if another session already uses it. Rejects with a refusal
 * if the same state has already started a session.
 */
export async function keepSignOn(
  store: Store,
  { lifetime, ...record }: SignOnRecord,
  token = createToken(),
): Promise<string> {
  const now = Date.now();
  const expires = new Date(now + lifetime).toISOString();
  await refuseDuplicate("This sign-in has already been used.", () =>
    store.transact(async (connection) => {
      await connection
        .deleteFrom("portal_sign_ons")
        .where("expires", "<=", new Date(now).toISOString())
        .execute();
      await connection
        .insertInto("portal_sign_ons")
        .values({ ...record, token_hash: hashKey(token), expires })
        .execute();
    }),
  );
  return token;
}

/** Returns the session of a token, unless the rules have changed since it started. */
export function findSignOn(
  store: Store,
  token: string,
  rulesHash: string,
): Promise<Omit<SignOnTable, "state_hash"> | undefined> {
  return store.read((connection) =>
    connection
      .selectFrom("portal_sign_ons")
      .selectAll()
      .where("token_hash", "=", hashKey(token))
      .where("rules_hash", "=", rulesHash)
      .where("expires", ">", new Date().toISOString())
      .executeTakeFirst(),
  );
}

/** Ends the sessions of tokens and returns the newest of their ID tokens. */
async function dropSignOns(store: Store, tokens: readonly string[]): Promise<string | undefined> {
  if (tokens.length === 0) return undefined;
  return store.transact(async (connection) => {
    const hashes = tokens.map(hashKey);
    const own = await connection
      .selectFrom("portal_sign_ons")
      .select("id_token")
      .where("token_hash", "in", hashes)
      .orderBy("expires", "desc")
      .execute();
    await connection.deleteFrom("portal_sign_ons").where("token_hash", "in", hashes).execute();
    await connection.deleteFrom("portal_sessions").where("token_hash", "in", hashes).execute();
    return own[0]?.id_token;
  });
}

/** Ends the sessions that the provider has ended. */
export async function dropEnded(store: Store, issuer: string, ended: EndedByProvider): Promise<void> {
  const { sub, sid } = ended;
  if (sub === undefined && sid === undefined) throw refusal(400, "The logout request names no session.");
  await store.transact(async (connection) => {
    const prefix = subjectKey({ iss: issuer, sub: "" });
    const all = await connection
      .selectFrom("portal_sign_ons")
      .select(["token_hash", "subject", "id_token"])
      .$if(sub !== undefined, (query) => query.where("subject", "=", `${prefix}${sub}`))
      .$if(sid !== undefined, (query) => query.where("provider_session", "=", sid ?? ""))
      .execute();
    const over = all
      .filter(({ subject, id_token }) => subject.startsWith(prefix) && beganBefore(ended, id_token))
      .map((each) => each.token_hash);
    if (over.length === 0) return;
    await connection.deleteFrom("portal_sign_ons").where("token_hash", "in", over).execute();
    await connection.deleteFrom("portal_sessions").where("token_hash", "in", over).execute();
  });
}
