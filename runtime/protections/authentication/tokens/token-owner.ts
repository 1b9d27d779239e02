// Validates the registered claims of a verified token (RFC 7519, section 4.1), and finds the caller that the claims
// describe.

import { hash } from "node:crypto";
import type { Eventually } from "../../../component/resource.ts";
import { BoundedCache } from "../../../concurrency/bounded-cache.ts";
import { GatewayError } from "../../../errors.ts";
import type { Keys } from "../../../keys/keys.ts";
import type { KeyRecord } from "../../../keys/records.ts";
import type { Caller, KeySession } from "../../../keys/session.ts";
import { disallowed } from "../decide.ts";
import type { Claims } from "./token-verifier.ts";

/** How a scheme interprets claims, as in documents. */
export interface ClaimOptions {
  readonly allowedIssuers?: readonly string[];
  readonly allowedAudiences?: readonly string[];
  readonly allowedSubjects?: readonly string[];
  /** Seconds by which clocks may differ. */
  readonly expiresAtValidationSkew?: number;
  readonly notBeforeValidationSkew?: number;
  readonly issuedAtValidationSkew?: number;
  /** The claim with the name of the owner; `sub` by default. */
  readonly identityBaseField?: string;
  /** Further claims, likely ones first. */
  readonly subjectClaims?: readonly string[];
  /** The claim with ids of policies. */
  readonly policyFieldName?: string;
  /** Further claims; the first that exists counts. */
  readonly basePolicyClaims?: readonly string[];
  readonly defaultPolicies?: readonly string[];
  readonly scopes?: {
    readonly claimName?: string;
    readonly claims?: readonly string[];
    readonly scopeToPolicyMapping?: readonly { readonly scope: string; readonly policyId: string }[];
  };
}

/** Returns the caller of claims, or a refusal: 401 if they expired, 403 if they are not valid. */
export type ReadClaims = (token: string, claims: Claims) => Eventually<Caller | GatewayError>;

/** Returns a function that validates the registered claims, but not the owner. */
export function createClaimReader(
  options: ClaimOptions,
): (token: string, claims: Claims) => Caller | GatewayError {
  const rules = readRules(options);
  const meanings = readMeanings(options);
  // The verifier returns the same claims object for a repeated token.
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

/** Like `createClaimReader`, for tokens that must name an owner, with the session of their policies, if any. */
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

  return (token, claims) => {
    const caller = readCaller(token, claims);
    if (caller instanceof GatewayError) return caller;
    const owner = owners.get(claims) ?? readOwner(claims);
    owners.set(claims, owner);
    if (owner === "no owner") return disallowed();
    if (!needsPolicies) return caller;
    // Without a policy the session would allow everything.
    if (owner.record.apply_policies?.length === 0) return disallowed();
    const admit = (session: KeySession | undefined) =>
      session === undefined ? disallowed() : { ...caller, session, metadata: session.metadata };
    const session = sessions(owner);
    return session instanceof Promise ? session.then(admit) : admit(session);
  };
}

/** Returns the error for an expired token. */
export function expired(): GatewayError {
  return new GatewayError(401, "Key has expired, please renew", {
    headers: { "www-authenticate": 'Bearer error="invalid_token"' },
  });
}

/** The most cached sessions, and milliseconds for which they are cached: policies may change. */
const mostSessions = 10_000;
const longestAge = 1_000;

/** An owner without a key. */
export interface TokenOwner {
  /** The owner's id in counters: SHA-256. */
  readonly id: string;
  /** The record that a key of this owner would have. */
  readonly record: KeyRecord;
  /** A text that is unique to the owner and the record. */
  readonly name: string;
}

/** Creates an owner from the names that identify it; the first is the kind. */
export function createOwner(names: readonly string[], record: KeyRecord): TokenOwner {
  return { id: hash("sha256", JSON.stringify(names), "hex"), record, name: JSON.stringify([names, record]) };
}

/** Returns a function that finds the sessions of owners; it returns `undefined` if the gateway has no keys. */
export function createOwnerSessions(
  keys: Keys | undefined,
): (owner: TokenOwner) => Eventually<KeySession | undefined> {
  const remembered = new BoundedCache<KeySession>(mostSessions, longestAge);
  let changes: number | undefined;
  return ({ id, record, name }) => {
    if (keys === undefined) return undefined;
    const present = keys.countChanges?.();
    if (changes !== present) remembered.clear();
    changes = present;
    const known = remembered.get(name);
    if (known !== undefined) return known;
    const remember = (session: KeySession) => {
      if (keys.countChanges?.() === present) remembered.set(name, session);
      return session;
    };
    const session = keys.createSession(id, record);
    return session instanceof Promise ? session.then(remember) : remember(session);
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

/** The meaning of claims. */
interface ClaimMeanings {
  /** Claims that may name the owner, likely ones first. */
  readonly identity: readonly string[];
  /** Claims that may hold ids of policies; the first that exists counts. */
  readonly policies: readonly string[];
  /** Claims with scopes: a list, or words separated by spaces. */
  readonly scopes: readonly string[];
  /** Policies by scope. */
  readonly scopePolicies: ReadonlyMap<string, string>;
  /** The policies of tokens that name none. */
  readonly defaultPolicies: readonly string[];
}

/** Returns the owner's name; `undefined` if no claim has one. */
function identityOf(claims: Claims, { identity }: ClaimMeanings): string | undefined {
  for (const name of identity) {
    const value = findClaim(claims, name);
    if (typeof value === "string" && value !== "") return value;
    if (typeof value === "number") return String(value);
  }
  return undefined;
}

/** Returns unique ids of policies: those that the token names and those of its scopes, otherwise the default ones. */
function policiesOf(claims: Claims, meanings: ClaimMeanings): readonly string[] {
  const { policies, scopePolicies, defaultPolicies } = meanings;
  const named =
    policies.map((name) => textsOf(findClaim(claims, name))).find((each) => each.length > 0) ?? [];
  const granted = [...scopesOf(claims, meanings)].flatMap((scope) => scopePolicies.get(scope) ?? []);
  const ids = new Set([...named, ...granted]);
  return ids.size > 0 ? [...ids] : defaultPolicies;
}

/** Returns the scopes of the token. */
function scopesOf(claims: Claims, { scopes }: ClaimMeanings): ReadonlySet<string> {
  const texts = scopes.flatMap((name) => textsOf(findClaim(claims, name)));
  return new Set(texts.flatMap((text) => text.split(/\s+/)).filter((scope) => scope !== ""));
}

/** Whether tokens need a policy at all. */
function asksForPolicies({ policies, scopePolicies, defaultPolicies }: ClaimMeanings): boolean {
  return policies.length > 0 || scopePolicies.size > 0 || defaultPolicies.length > 0;
}

/** The rules for the claims of a token. */
interface ClaimRules {
  /** Allowed values of `iss`; any value if undefined, none if empty. */
  readonly allowedIssuers: readonly string[] | undefined;
  /** Allowed values of `aud`, of which the claim must have one; any value if undefined, none if empty. */
  readonly allowedAudiences: readonly string[] | undefined;
  /** Allowed values of `sub`; any value if undefined, none if empty. */
  readonly allowedSubjects: readonly string[] | undefined;
  /** Seconds by which clocks may differ. */
  readonly expiresAtSkew: number;
  readonly notBeforeSkew: number;
  readonly issuedAtSkew: number;
}

/** `unfit`: a claim breaks the rules or is malformed. */
type TokenVerdict = "holds" | "expired" | "unfit";

/** Validates the claims at a time, in Unix seconds. */
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

/** Returns the Unix time in seconds when the claims expire; `undefined` if never. */
function expiryOf(claims: Claims): number | undefined {
  const { exp } = claims;
  return typeof exp === "number" ? exp : undefined;
}

/**
 * Returns the claim of this name, otherwise the value at its parts: `user.id` in `{ "user": { "id": … } }`.
 * `undefined` if there is none.
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

/** Returns the texts of a claim that is a text or a list; none for other values. */
function textsOf(value: unknown): readonly string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.filter((item) => typeof item === "string" && item !== "").map(String);
}

/**
 * Returns the text of a claim, or none: only audiences may be a list, from which servers could use different entries.
 */
function textOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? [] : textsOf(value);
}

/** Returns claims for request variables and logs: texts unchanged, other values as JSON. */
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

/** Returns the time of a claim; NaN if it is not a time. A missing claim never invalidates a token. */
function instantOf(claims: Claims, name: "exp" | "nbf" | "iat"): number {
  const value = claims[name];
  if (value === undefined) return name === "exp" ? Number.MAX_SAFE_INTEGER : 0;
  return typeof value === "number" && Number.isFinite(value) ? value : Number.NaN;
}
