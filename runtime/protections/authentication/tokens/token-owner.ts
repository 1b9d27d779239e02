// From the claims of a token that holds, those that every token may have among them (RFC 7519, section 4.1), to the caller they
// speak of.

import { hash } from "node:crypto";
import type { Eventually } from "../../../component/resource.ts";
import { BoundedCache } from "../../../concurrency/bounded-cache.ts";
import { GatewayError } from "../../../errors.ts";
import type { Keys } from "../../../keys/keys.ts";
import type { KeyRecord } from "../../../keys/records.ts";
import type { Caller, KeySession } from "../../../keys/session.ts";
import { disallowed } from "../decide.ts";
import type { Claims } from "./token-verifier.ts";

/** What a scheme makes of claims, as documents say it. */
export interface ClaimOptions {
  readonly allowedIssuers?: readonly string[];
  readonly allowedAudiences?: readonly string[];
  readonly allowedSubjects?: readonly string[];
  /** Seconds by which clocks may differ. */
  readonly expiresAtValidationSkew?: number;
  readonly notBeforeValidationSkew?: number;
  readonly issuedAtValidationSkew?: number;
  /** The claim that names the owner; `sub` where there is none. */
  readonly identityBaseField?: string;
  /** Further ones, the likeliest first. */
  readonly subjectClaims?: readonly string[];
  /** The claim that holds ids of policies. */
  readonly policyFieldName?: string;
  /** Further ones, of which the first that is there counts. */
  readonly basePolicyClaims?: readonly string[];
  readonly defaultPolicies?: readonly string[];
  readonly scopes?: {
    readonly claimName?: string;
    readonly claims?: readonly string[];
    readonly scopeToPolicyMapping?: readonly { readonly scope: string; readonly policyId: string }[];
  };
}

/** Makes callers of claims; a refusal where they do not hold: expired 401, else 403. */
export type ReadClaims = (token: string, claims: Claims) => Eventually<Caller | GatewayError>;

/** Looks at the claims that every token may have, but not at the owner. */
export function createClaimReader(
  options: ClaimOptions,
): (token: string, claims: Claims) => Caller | GatewayError {
  const rules = readRules(options);
  const meanings = readMeanings(options);
  // A token that comes again has the same claims, as the verifier remembers them.
  const read = new WeakMap<Claims, Pick<Caller, "claims" | "scopes" | "expires">>();
  return (token, claims) => {
    const verdict = judgeClaims(claims, rules, Date.now() / 1000);
    if (verdict === "expired") return expired();
    if (verdict === "unfit") return disallowed();
    const known = read.get(claims) ?? {
      claims: printClaims(claims),
      scopes: scopesOf(claims, meanings),
      ...expiryFor(claims, rules),
    };
    read.set(claims, known);
    return { token, ...known };
  };
}

function expiryFor(claims: Claims, { expiresAtSkew }: ClaimRules): Pick<Caller, "expires"> {
  const expires = expiryOf(claims);
  return expires === undefined ? {} : { expires: (expires + expiresAtSkew) * 1000 };
}

/** The same for tokens that have to name an owner, whose session follows from their policies where there are any. */
export function createOwnerReader(options: ClaimOptions, keys: Keys | undefined): ReadClaims {
  const readCaller = createClaimReader(options);
  const meanings = readMeanings(options);
  const sessions = createOwnerSessions(keys);
  const needsPolicies = asksForPolicies(meanings);
  const owners = new WeakMap<Claims, TokenOwner | "no owner">();

  function readOwner(claims: Claims): TokenOwner | "no owner" {
    const identity = identityOf(claims, meanings);
    if (identity === undefined) return "no owner";
    const record = { alias: identity, apply_policies: policiesOf(claims, meanings) };
    return createOwner(["token", textsOf(claims.iss).join(), identity], record);
  }

  return async (token, claims) => {
    const caller = readCaller(token, claims);
    if (caller instanceof GatewayError) return caller;
    const owner = owners.get(claims) ?? readOwner(claims);
    owners.set(claims, owner);
    if (owner === "no owner") return disallowed();
    if (!needsPolicies) return caller;
    // Without a policy a session could do everything.
    if (owner.record.apply_policies?.length === 0) return disallowed();
    const session = await sessions(owner);
    return session === undefined ? disallowed() : { ...caller, session, metadata: session.metadata };
  };
}

/** The answer for an expired token. */
export function expired(): GatewayError {
  return new GatewayError(401, "Key has expired, please renew", {
    headers: { "www-authenticate": 'Bearer error="invalid_token"' },
  });
}

/** Sessions remembered, and milliseconds that they are: policies may change. */
const mostSessions = 10_000;
const longestAge = 1_000;

/** An owner without a key. */
export interface TokenOwner {
  /** Names the owner in counters: SHA-256. */
  readonly id: string;
  /** What a key's record would say. */
  readonly record: KeyRecord;
  /** Tells all owners and records apart. */
  readonly name: string;
}

/** An owner by what names it: its kind first. */
export function createOwner(names: readonly string[], record: KeyRecord): TokenOwner {
  return { id: hash("sha256", JSON.stringify(names), "hex"), record, name: JSON.stringify([names, record]) };
}

/** Sessions of owners; `undefined` without keys. */
export function createOwnerSessions(
  keys: Keys | undefined,
): (owner: TokenOwner) => Promise<KeySession | undefined> {
  const remembered = new BoundedCache<KeySession>(mostSessions, longestAge);
  let changes: number | undefined;
  return async ({ id, record, name }) => {
    if (keys === undefined) return undefined;
    const present = keys.countChanges?.();
    if (changes !== present) remembered.clear();
    changes = present;
    const known = remembered.get(name);
    if (known !== undefined) return known;
    const session = await keys.createSession(id, record);
    if (keys.countChanges?.() === present) remembered.set(name, session);
    return session;
  };
}

function readRules(options: ClaimOptions): ClaimRules {
  return {
    allowedIssuers: options.allowedIssuers,
    allowedAudiences: options.allowedAudiences,
    allowedSubjects: options.allowedSubjects,
    expiresAtSkew: options.expiresAtValidationSkew ?? 0,
    notBeforeSkew: options.notBeforeValidationSkew ?? 0,
    issuedAtSkew: options.issuedAtValidationSkew ?? 0,
  };
}

function readMeanings(options: ClaimOptions): ClaimMeanings {
  const {
    identityBaseField,
    subjectClaims = [],
    policyFieldName,
    basePolicyClaims = [],
    scopes = {},
  } = options;
  const { claimName, claims = [], scopeToPolicyMapping = [] } = scopes;
  const identity = named(identityBaseField, subjectClaims);
  const scopeClaims = named(claimName, claims);
  return {
    identity: identity.length > 0 ? identity : ["sub"],
    policies: named(policyFieldName, basePolicyClaims),
    scopes: scopeClaims.length > 0 ? scopeClaims : ["scope", "scp"],
    scopePolicies: new Map(scopeToPolicyMapping.map(({ scope, policyId }) => [scope, policyId])),
    defaultPolicies: options.defaultPolicies ?? [],
  };
}

function named(first: string | undefined, others: readonly string[]): readonly string[] {
  return [...new Set([...(first === undefined || first === "" ? [] : [first]), ...others])];
}

/** Which claims say what. */
interface ClaimMeanings {
  /** Claims that may name the owner, the likeliest first. */
  readonly identity: readonly string[];
  /** Claims that may hold ids of policies; the first that is there counts. */
  readonly policies: readonly string[];
  /** Claims that hold scopes: a list, or words between spaces. */
  readonly scopes: readonly string[];
  /** Policies by scope. */
  readonly scopePolicies: ReadonlyMap<string, string>;
  /** Policies of tokens that bring none. */
  readonly defaultPolicies: readonly string[];
}

/** The owner's name; `undefined` where no claim has one. */
function identityOf(claims: Claims, { identity }: ClaimMeanings): string | undefined {
  for (const name of identity) {
    const value = findClaim(claims, name);
    if (typeof value === "string" && value !== "") return value;
    if (typeof value === "number") return String(value);
  }
  return undefined;
}

/** Ids of policies, each once: those that the token names and those of its scopes, else the default ones. */
function policiesOf(claims: Claims, meanings: ClaimMeanings): readonly string[] {
  const { policies, scopePolicies, defaultPolicies } = meanings;
  const named =
    policies.map((name) => textsOf(findClaim(claims, name))).find((each) => each.length > 0) ?? [];
  const granted = [...scopesOf(claims, meanings)].flatMap((scope) => scopePolicies.get(scope) ?? []);
  const ids = new Set([...named, ...granted]);
  return ids.size > 0 ? [...ids] : defaultPolicies;
}

/** What the token is good for. */
function scopesOf(claims: Claims, { scopes }: ClaimMeanings): ReadonlySet<string> {
  const texts = scopes.flatMap((name) => textsOf(findClaim(claims, name)));
  return new Set(texts.flatMap((text) => text.split(/\s+/)).filter((scope) => scope !== ""));
}

/** Whether such tokens need a policy at all. */
function asksForPolicies({ policies, scopePolicies, defaultPolicies }: ClaimMeanings): boolean {
  return policies.length > 0 || scopePolicies.size > 0 || defaultPolicies.length > 0;
}

/** What the claims of a token have to meet. */
interface ClaimRules {
  /** `iss`; any where there is no list, none where it is empty. */
  readonly allowedIssuers: readonly string[] | undefined;
  /** `aud`: one of them; any where there is no list, none where it is empty. */
  readonly allowedAudiences: readonly string[] | undefined;
  /** `sub`; any where there is no list, none where it is empty. */
  readonly allowedSubjects: readonly string[] | undefined;
  /** Seconds by which clocks may differ. */
  readonly expiresAtSkew: number;
  readonly notBeforeSkew: number;
  readonly issuedAtSkew: number;
}

/** `unfit` where a claim does not meet the rules, or cannot be read. */
type TokenVerdict = "holds" | "expired" | "unfit";

/** Looks at the claims at a time, in Unix seconds. */
function judgeClaims(claims: Claims, rules: ClaimRules, now: number): TokenVerdict {
  const { allowedIssuers, allowedAudiences, allowedSubjects } = rules;
  const isNamed =
    isListed(allowedIssuers, textOf(claims.iss)) &&
    isListed(allowedAudiences, textsOf(claims.aud)) &&
    isListed(allowedSubjects, textOf(claims.sub));
  const expires = instantOf(claims, "exp");
  const begins = instantOf(claims, "nbf");
  const issued = instantOf(claims, "iat");
  if (!isNamed || Number.isNaN(expires + begins + issued)) return "unfit";
  if (begins - rules.notBeforeSkew > now || issued - rules.issuedAtSkew > now) return "unfit";
  return expires + rules.expiresAtSkew <= now ? "expired" : "holds";
}

/** Unix seconds after which the claims do not hold; `undefined` for never. */
function expiryOf(claims: Claims): number | undefined {
  const { exp } = claims;
  return typeof exp === "number" ? exp : undefined;
}

/**
 * The claim of that name, else what lies at its parts: `user.id` in `{ "user": { "id": … } }`. `undefined` where
 * there is none.
 */
function findClaim(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let at: unknown = claims;
  for (const part of name.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return undefined;
    at = Reflect.get(at, part);
  }
  return at;
}

/** The texts of a claim that is one or a list of them; of others none. */
function textsOf(value: unknown): readonly string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.filter((item) => typeof item === "string" && item !== "").map(String);
}

/** One text or none: only audiences may be a list, of which others would go by another entry. */
function textOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? [] : textsOf(value);
}

/** Claims as variables of requests and logs take them: texts as they are, all else as JSON. */
function printClaims(claims: Claims): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(claims).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}

function isListed(allowed: readonly string[] | undefined, given: readonly string[]): boolean {
  return allowed === undefined || given.some((each) => allowed.includes(each));
}

/** NaN for a claim that is not a time; one that is absent never keeps a token from holding. */
function instantOf(claims: Claims, name: "exp" | "nbf" | "iat"): number {
  const value = claims[name];
  if (value === undefined) return name === "exp" ? Number.MAX_SAFE_INTEGER : 0;
  return typeof value === "number" && Number.isFinite(value) ? value : Number.NaN;
}
