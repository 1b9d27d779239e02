// From the claims of a token that holds to the caller they speak of.

import { hash } from "node:crypto";
import type { Caller } from "../../../caller.ts";
import { GatewayError } from "../../../errors.ts";
import { BoundedCache } from "../../../keys/bounded-cache.ts";
import type { Keys } from "../../../keys/keys.ts";
import type { KeyRecord } from "../../../keys/records.ts";
import type { Eventually } from "../../../resource.ts";
import type { Session } from "../../../session.ts";
import { disallowed } from "../decide.ts";
import { asksForPolicies, type ClaimMeanings, identityOf, policiesOf, scopesOf } from "./claim-policies.ts";
import { type ClaimRules, judgeClaims, printClaims, textsOf } from "./claims.ts";
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

/** Looks at the claims that every token may have; whom they name is not asked. */
export function createClaimReader(
  options: ClaimOptions,
): (token: string, claims: Claims) => Caller | GatewayError {
  const rules = readRules(options);
  const meanings = readMeanings(options);
  return (token, claims) => {
    const verdict = judgeClaims(claims, rules, Date.now() / 1000);
    if (verdict === "expired") return expired();
    if (verdict === "unfit") return disallowed();
    return { token, claims: printClaims(claims), scopes: scopesOf(claims, meanings) };
  };
}

/** The same for tokens that have to name somebody, whose session comes of their policies where there are any. */
export function createOwnerReader(options: ClaimOptions, keys: Keys | undefined): ReadClaims {
  const readCaller = createClaimReader(options);
  const meanings = readMeanings(options);
  const sessions = createOwnerSessions(keys);
  const needsPolicies = asksForPolicies(meanings);
  return async (token, claims) => {
    const caller = readCaller(token, claims);
    if (caller instanceof GatewayError) return caller;
    const identity = identityOf(claims, meanings);
    if (identity === undefined) return disallowed();
    if (!needsPolicies) return caller;
    const policies = policiesOf(claims, meanings);
    // Without a policy a session could do everything.
    if (policies.length === 0) return disallowed();
    const owner = `token ${textsOf(claims.iss).join()} ${identity}`;
    const session = await sessions(owner, { alias: identity, apply_policies: policies });
    return session === undefined ? disallowed() : { ...caller, session, metadata: session.metadata };
  };
}

/** What a caller is told whose token has ended. */
export function expired(): GatewayError {
  return new GatewayError(401, "Key has expired, please renew", {
    headers: { "www-authenticate": 'Bearer error="invalid_token"' },
  });
}

/** Sessions remembered, and milliseconds that they are: policies may change. */
const mostSessions = 10_000;
const longestAge = 1_000;

/** Sessions of those that no key stands for, by a name of theirs and what a record would say; `undefined` without keys. */
export function createOwnerSessions(
  keys: Keys | undefined,
): (owner: string, record: KeyRecord) => Promise<Session | undefined> {
  const remembered = new BoundedCache<Session>(mostSessions, longestAge, Date.now);
  return async (owner, record) => {
    if (keys === undefined) return undefined;
    const name = JSON.stringify([owner, record]);
    const known = remembered.get(name);
    if (known !== undefined) return known;
    const session = await keys.createSession(hash("sha256", owner, "hex"), record);
    remembered.set(name, session);
    return session;
  };
}

function readRules(options: ClaimOptions): ClaimRules {
  return {
    allowedIssuers: options.allowedIssuers ?? [],
    allowedAudiences: options.allowedAudiences ?? [],
    allowedSubjects: options.allowedSubjects ?? [],
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
