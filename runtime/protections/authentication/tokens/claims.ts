// Claims by name, and whether those that every token may have hold (RFC 7519, section 4.1).

import type { Claims } from "./token-verifier.ts";

/** What the claims of a token have to meet. */
export interface ClaimRules {
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
export type TokenVerdict = "holds" | "expired" | "unfit";

/** Looks at the claims at a time, in Unix seconds. */
export function judgeClaims(claims: Claims, rules: ClaimRules, now: number): TokenVerdict {
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
export function expiryOf(claims: Claims): number | undefined {
  const { exp } = claims;
  return typeof exp === "number" ? exp : undefined;
}

/**
 * The claim of that name, else what lies at its parts: `user.id` in `{ "user": { "id": … } }`. `undefined` where
 * there is none.
 */
export function findClaim(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let at: unknown = claims;
  for (const part of name.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return undefined;
    at = Reflect.get(at, part);
  }
  return at;
}

/** The texts of a claim that is one or a list of them; of others none. */
export function textsOf(value: unknown): readonly string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.filter((item) => typeof item === "string" && item !== "").map(String);
}

/** One text or none: only audiences may be a list, of which others would go by another entry. */
function textOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? [] : textsOf(value);
}

/** Claims as variables of requests and logs take them: texts as they are, all else as JSON. */
export function printClaims(claims: Claims): ReadonlyMap<string, string> {
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
