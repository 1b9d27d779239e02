// The `single_sign_on` settings of the portal and the management service, and rules for a person's groups.

import type { IDToken } from "oauth4webapi";

/** The settings of the provider and of the client. */
export interface SignOnSettings {
  /** The identifier of the provider, which is also the base URL of its discovery document. */
  readonly issuer: string;
  readonly client_id: string;
  /** The origin at which browsers reach the page. It is not read from requests, whose `Host` could be anything. */
  readonly url: string;
  /** The name of the provider for people; `single sign-on` by default. */
  readonly name?: string;
  /** `openid`, `profile` and `email` by default. */
  readonly scopes?: readonly string[];
  /** The claim of the ID token with the person's groups or roles; `groups` by default. */
  readonly claim?: string;
  /** Milliseconds until a person has to sign in again; eight hours by default. */
  readonly session?: number;
}

const defaultSession = 8 * 60 * 60_000;

/** Returns the settings with their defaults. */
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

/** The maximum number of groups that are considered, because a provider may list thousands. */
const mostGroups = 1000;

/**
 * Returns the texts in a claim: the claim itself, or the items of a list. `claim` is the name of the claim, such as
 * `https://example.com/groups`, or otherwise a path with dots, such as `realm_access.roles`.
 */
export function groupsOf(claims: IDToken, claim: string): ReadonlySet<string> {
  const value = member(claims, claim) ?? claim.split(".").reduce<unknown>(member, claims);
  const list: readonly unknown[] = Array.isArray(value) ? value.slice(0, mostGroups) : [value];
  return new Set(list.filter((each) => typeof each === "string"));
}

/** Returns the first rule whose `value` is one of the groups. The value `*` matches everybody who signs in. */
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
