// What `single_sign_on` says, of the portal and of the management service alike, and the groups of people that its rules
// name.

import type { IDToken } from "oauth4webapi";

/** The part of the settings that says who the provider is, and what the server is to it. */
export interface SignOnSettings {
  /** The identifier of the provider, below which its discovery document lies. */
  readonly issuer: string;
  readonly client_id: string;
  /** The origin at which browsers reach the page. It is not taken from requests, whose `Host` may be any. */
  readonly url: string;
  /** What people call the provider; `single sign-on` by default. */
  readonly name?: string;
  /** `openid`, `profile` and `email` by default. */
  readonly scopes?: readonly string[];
  /** The claim of the ID token with the person's groups or roles; `groups` by default. */
  readonly claim?: string;
  /** Milliseconds until a person has to sign in again; eight hours by default. */
  readonly session?: number;
}

const defaultSession = 8 * 60 * 60_000;

/** The same with its defaults. */
export function completeSettings(settings: SignOnSettings): Required<SignOnSettings> {
  return {
    ...settings,
    url: new URL(settings.url).origin,
    name: settings.name ?? "single sign-on",
    scopes: ["openid", ...(settings.scopes ?? ["profile", "email"]).filter((scope) => scope !== "openid")],
    claim: settings.claim ?? "groups",
    session: settings.session ?? defaultSession,
  };
}

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
