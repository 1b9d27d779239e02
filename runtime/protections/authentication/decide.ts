// Whether what is known of a request satisfies what a document asks for, by OpenAPI's rules.

import { GatewayError } from "../../errors.ts";
import type { Caller } from "../../keys/session.ts";
import type { Authentication, Identity } from "./method.ts";

/** Schemes that all have to let a request in, and the scopes each has to give; none at all admits every caller. */
export type Requirement = ReadonlyMap<string, readonly string[]>;

/** A scheme that has looked at a request. */
export interface AuthenticationOutcome {
  readonly identity: Identity;
  readonly authentication: Authentication;
}

/** What is still to be checked, or the result: the caller, an anonymous caller, or a refusal. */
export type Decision = { readonly ask: string } | { readonly result: Caller | undefined | GatewayError };

/**
 * Any of the requirements lets a request in (OpenAPI 3.1, Security Requirement Object). One that names
 * nothing lets in callers without a credential, but none whose credential does not hold. `base` names the caller where
 * several schemes of one requirement know one.
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
    refusal ??= met.refusal;
  }
  if (refusal !== undefined) return { result: refusal };
  const isOptional = requirements.some(({ size }) => size === 0);
  return { result: isOptional ? undefined : missing() };
}

/** As `decide`, where one scheme alone lets requests in, which is what most documents ask for. */
export function decideAlone(
  scopes: readonly string[],
  authentication: Authentication,
): Caller | GatewayError {
  if (authentication === undefined) return missing();
  if (authentication instanceof GatewayError) return authentication;
  return givesAll(authentication, scopes) ? held(authentication, scopes) : disallowed();
}

/** The caller, who has to have the scopes whenever its right is asked for again. */
function held(caller: Caller, scopes: readonly string[]): Caller {
  const { renew } = caller;
  if (renew === undefined || scopes.length === 0) return caller;
  return {
    ...caller,
    async renew() {
      const present = await renew();
      const isKnown = present !== undefined && !(present instanceof GatewayError);
      return isKnown && !givesAll(present, scopes) ? disallowed() : present;
    },
  };
}

interface KnownCaller {
  readonly identity: Identity;
  readonly caller: Caller;
}

/** The callers its schemes know, or why it is not met; neither where a credential is missing. */
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

/** The caller that `base` names, or the first with a session, with what only others know of it. */
function joinCallers(callers: readonly KnownCaller[], base: Identity | undefined): Caller {
  const named = callers.find(({ identity }) => identity === base);
  const known = named ?? callers.find(({ caller }) => caller.session !== undefined) ?? callers[0];
  const claims =
    known?.caller.claims ?? callers.find(({ caller }) => caller.claims !== undefined)?.caller.claims;
  const caller = { ...known?.caller, ...(claims === undefined ? {} : { claims }) };
  const others = callers.filter((each) => each !== known).map((each) => each.caller);
  return withAll(caller, [caller, ...others]);
}

/** The caller, whose right is that of all of `callers`, of which it is the first. */
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

function missing(): GatewayError {
  return new GatewayError(401, "Authorization field missing", { reason: "no_credential" });
}

/** The answer for a credential that is unknown, or for something else. */
export function disallowed(): GatewayError {
  return new GatewayError(403, "Access to this API has been disallowed", { reason: "wrong_credential" });
}
