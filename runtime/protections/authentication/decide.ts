// Decides whether a request satisfies the security requirements of a document, by the rules of OpenAPI.

import { GatewayError } from "../../errors.ts";
import type { Caller } from "../../keys/session.ts";
import type { Authentication, Identity } from "./method.ts";

/**
 * The schemes that must all admit a request, with the scopes that each must grant; an empty map admits every caller.
 */
export type Requirement = ReadonlyMap<string, readonly string[]>;

/** The result of a scheme for a request. */
export interface AuthenticationOutcome {
  readonly identity: Identity;
  readonly authentication: Authentication;
}

/** The scheme to ask next, or the result: the caller, `undefined` for an anonymous caller, or a refusal. */
export type Decision = { readonly ask: string } | { readonly result: Caller | undefined | GatewayError };

/**
 * A request must satisfy one of the requirements (OpenAPI 3.1, Security Requirement Object). An empty requirement
 * admits callers without a credential, but not callers with an invalid one. `base`: the scheme that determines the
 * caller if several schemes of one requirement know a caller.
 */
export function decide(
  requirements: readonly Requirement[],
  outcomes: ReadonlyMap<string, AuthenticationOutcome>,
  base: Identity | undefined,
): Decision {
  if (requirements.length === 0) return { result: undefined };
  let refusal: GatewayError | undefined;
  for (const requirement of requirements) {
    if (requirement.size === 0) continue;
    const met = meet(requirement, outcomes);
    if ("ask" in met) return met;
    if (met.callers !== undefined) return { result: joinCallers(met.callers, base) };
    refusal = moreCertain(refusal, met.refusal);
  }
  if (refusal !== undefined) return { result: refusal };
  const isOptional = requirements.some(({ size }) => size === 0);
  return { result: isOptional ? undefined : missing() };
}

/**
 * Returns the refusal to report of two alternatives. Schemes may read the same header, and a scheme that does not know
 * the credential says less than one that knows that it has expired, or that cannot check it now.
 */
function moreCertain(
  first: GatewayError | undefined,
  other: GatewayError | undefined,
): GatewayError | undefined {
  return first === undefined || (other !== undefined && first.reason === wrong) ? other : first;
}

/** Like `decide`, for one scheme that admits requests on its own, as in most documents. */
export function decideAlone(
  scopes: readonly string[],
  authentication: Authentication,
): Caller | GatewayError {
  if (authentication === undefined) return missing();
  if (authentication instanceof GatewayError) return authentication;
  return givesAll(authentication, scopes) ? held(authentication, scopes) : disallowed();
}

/** Returns the caller, who must have the scopes whenever the right is evaluated again. */
function held(caller: Caller, scopes: readonly string[]): Caller {
  const { renew } = caller;
  if (renew === undefined || scopes.length === 0) return caller;
  return {
    ...caller,
    async renew() {
      const present = await renew();
      if (present === undefined || present instanceof GatewayError) return present;
      return givesAll(present, scopes) ? held(present, scopes) : disallowed();
    },
  };
}

interface KnownCaller {
  readonly identity: Identity;
  readonly caller: Caller;
}

/** The callers that the schemes know, or the refusal; neither if a credential is missing. */
type Met =
  | { readonly ask: string }
  | { readonly callers?: readonly KnownCaller[]; readonly refusal?: GatewayError };

function meet(requirement: Requirement, outcomes: ReadonlyMap<string, AuthenticationOutcome>): Met {
  const callers: KnownCaller[] = [];
  for (const [scheme, scopes] of requirement) {
    const outcome = outcomes.get(scheme);
    if (outcome === undefined) return { ask: scheme };
    const { identity, authentication } = outcome;
    if (authentication === undefined) return {};
    if (authentication instanceof GatewayError) return { refusal: authentication };
    if (!givesAll(authentication, scopes)) return { refusal: disallowed() };
    callers.push({ identity, caller: held(authentication, scopes) });
  }
  return { callers };
}

function givesAll(caller: Caller, scopes: readonly string[]): boolean {
  return scopes.length === 0 || scopes.every((scope) => caller.scopes?.has(scope));
}

/** Returns the caller that `base` selects, or the first with a session, and adds the claims that others know. */
function joinCallers(callers: readonly KnownCaller[], base: Identity | undefined): Caller {
  const named = callers.find(({ identity }) => identity === base);
  const known = named ?? callers.find(({ caller }) => caller.session !== undefined) ?? callers[0];
  const claims =
    known?.caller.claims ?? callers.find(({ caller }) => caller.claims !== undefined)?.caller.claims;
  const caller = { ...known?.caller, ...(claims === undefined ? {} : { claims }) };
  const others = callers.filter((each) => each !== known).map((each) => each.caller);
  return withAll(caller, [caller, ...others]);
}

/** Returns the caller with a right that depends on all of `callers`; `caller` is the first of them. */
export function withAll(caller: Caller, callers: readonly Caller[]): Caller {
  const mortal = callers.filter(({ renew }) => renew !== undefined);
  if (mortal.length === 0 || (mortal.length === 1 && caller.renew !== undefined)) return caller;
  const soonest = (name: "expires" | "askAgain") =>
    Math.min(...callers.map((each) => each[name] ?? Number.POSITIVE_INFINITY));
  return {
    ...caller,
    expires: soonest("expires"),
    askAgain: soonest("askAgain"),
    async renew() {
      const present: Caller[] = [];
      for (const each of mortal) {
        const again = await each.renew?.();
        if (again === undefined || again instanceof GatewayError) return again;
        present.push(again);
      }
      const [first] = caller.renew === undefined ? [] : present;
      return withAll({ ...caller, ...first }, present);
    },
  };
}

/** The reason of refusals of a credential that is unknown or not valid here. */
const wrong = "wrong_credential";

function missing(): GatewayError {
  return new GatewayError(401, "Authorization field missing", { reason: "no_credential" });
}

/** Returns the error for a credential that is unknown or not valid here. */
export function disallowed(): GatewayError {
  return new GatewayError(403, "Access to this API has been disallowed", { reason: wrong });
}
