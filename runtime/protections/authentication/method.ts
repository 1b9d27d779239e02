// One way to prove who one is: what a security scheme of a document stands for.

import type { Eventually } from "../../component/resource.ts";
import { GatewayError } from "../../errors.ts";
import type { Call } from "../../http/call.ts";
import type { AcceptedCredential } from "../../keys/accepted-credentials.ts";
import type { Caller } from "../../keys/session.ts";
import type { ProtectionContext } from "../../protection.ts";
import type { CredentialSources } from "./sources.ts";

/**
 * What came of looking at a request: who calls; that it bears no credential of this kind (`undefined`); or why the one
 * that it bears does not hold. Where a document asks for one scheme or another, the other may still let the request in,
 * but a request that no scheme lets in never counts as one without a credential.
 */
export type Authentication = Caller | undefined | GatewayError;

/**
 * What `judge` makes of a credential, and `renew` from then on whenever the right of its caller is asked for again: the same,
 * unless it is given.
 */
export function renewable(
  judge: () => Eventually<Authentication>,
  renew: () => Eventually<Authentication> = judge,
): Eventually<Authentication> {
  const verdict = judge();
  return verdict instanceof Promise
    ? verdict.then((it) => withRenewal(it, renew))
    : withRenewal(verdict, renew);
}

function withRenewal(verdict: Authentication, renew: () => Eventually<Authentication>): Authentication {
  return verdict === undefined || verdict instanceof GatewayError ? verdict : { ...verdict, renew };
}

/** A method that works; must not throw for anything a client sends. */
export interface Authenticator {
  authenticate(call: Call): Authentication | Promise<Authentication>;
  /** Where it looks for credentials: nothing behind authentication sees what is there. */
  readonly sources: CredentialSources;
  /** What `WWW-Authenticate` says to those without a credential, where there is a registered scheme: `Bearer`. */
  readonly challenge?: string;
  close?(): Promise<void>;
}

/** Kinds of callers as `baseIdentityProvider` calls them. */
export type Identity =
  | "auth_token"
  | "hmac_key"
  | "basic_auth_user"
  | "jwt_claim"
  | "oidc_user"
  | "oauth_key"
  | "custom_auth";

/** A method as emitted code names it; making one opens nothing. */
export interface AuthenticationMethod {
  /** What its callers are known by. */
  readonly identity: Identity;
  /** The credential of the gateway's own keys and clients that it accepts; absent where it accepts those of others only. */
  readonly accepts?: AcceptedCredential;
  /** As `Protection.start`. */
  start(context: ProtectionContext): Authenticator | Promise<Authenticator>;
}
