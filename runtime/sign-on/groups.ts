// Groups of people, as claims of ID tokens name them.

import type { IDToken } from "oauth4webapi";

/** Groups that are looked at: a provider may name thousands. */
const mostGroups = 1000;

/**
 * What a claim names: its text, or the texts of its list. The name is that of the claim itself, as
 * `https://example.com/groups`, or else a path with dots, as `realm_access.roles`.
 */
export function groupsOf(claims: IDToken, claim: string): ReadonlySet<string> {
  const value = member(claims, claim) ?? claim.split(".").reduce<unknown>(member, claims);
  const list: readonly unknown[] = Array.isArray(value) ? value.slice(0, mostGroups) : [value];
  return new Set(list.filter((each) => typeof each === "string"));
}

/** The first rule whose `value` is one of the groups. A rule for `*` is for all who sign in at the provider. */
export function findRule<R extends { readonly value: string }>(
  rules: readonly R[],
  groups: ReadonlySet<string>,
): R | undefined {
  return rules.find(({ value }) => value === "*" || groups.has(value));
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
