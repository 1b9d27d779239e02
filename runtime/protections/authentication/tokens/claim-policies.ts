// Who a token speaks for, and which policies it brings.

import { findClaim, textsOf } from "./claims.ts";
import type { Claims } from "./token-verifier.ts";

/** Which claims say what. */
export interface ClaimMeanings {
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
export function identityOf(claims: Claims, { identity }: ClaimMeanings): string | undefined {
  for (const name of identity) {
    const value = findClaim(claims, name);
    if (typeof value === "string" && value !== "") return value;
    if (typeof value === "number") return String(value);
  }
  return undefined;
}

/** Ids of policies, each once: those that the token names and those of its scopes, else the default ones. */
export function policiesOf(claims: Claims, meanings: ClaimMeanings): readonly string[] {
  const { policies, scopePolicies, defaultPolicies } = meanings;
  const named =
    policies.map((name) => textsOf(findClaim(claims, name))).find((each) => each.length > 0) ?? [];
  const granted = [...scopesOf(claims, meanings)].flatMap((scope) => scopePolicies.get(scope) ?? []);
  const ids = new Set([...named, ...granted]);
  return ids.size > 0 ? [...ids] : defaultPolicies;
}

/** What the token is good for. */
export function scopesOf(claims: Claims, { scopes }: ClaimMeanings): ReadonlySet<string> {
  const texts = scopes.flatMap((name) => textsOf(findClaim(claims, name)));
  return new Set(texts.flatMap((text) => text.split(/\s+/)).filter((scope) => scope !== ""));
}

/** Whether such tokens need a policy at all. */
export function asksForPolicies({ policies, scopePolicies, defaultPolicies }: ClaimMeanings): boolean {
  return policies.length > 0 || scopePolicies.size > 0 || defaultPolicies.length > 0;
}
