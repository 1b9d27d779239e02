// The interface of authentication methods; each implements a security scheme of a document.

import type { Eventually } from "../../component/resource.ts";
import { GatewayError } from "../../errors.ts";
import type { Call } from "../../http/call.ts";
import type { AcceptedCredential } from "../../keys/accepted-credentials.ts";
import type { Caller } from "../../keys/session.ts";
import type { ProtectionContext } from "../../protection.ts";
import type { CredentialSources } from "./sources.ts";

/**
 * The result of authenticating a request: the caller, `undefined` if the request has no credential of this kind, or an
 * error if its credential is not valid. If the document allows several schemes, another one may still admit the
 * request, but a request with an invalid credential never counts as anonymous.
 */
export type Authentication = Caller | undefined | GatewayError;

/**
 * Returns the result of `judge`, with a caller whose right is evaluated again by `renew`, by default `judge`, as often as
 * something changes.
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
  if (verdict === undefined || verdict instanceof GatewayError) return verdict;
  return { ...verdict, renew: () => renewable(renew) };
}

/** A started method; must not throw for anything that a client sends. */
export interface Authenticator {
  authenticate(call: Call): Authentication | Promise<Authentication>;
  /** Where it looks for credentials: code behind authentication does not see them. */
  readonly sources: CredentialSources;
  /** The registered scheme for `WWW-Authenticate` in responses to anonymous callers, such as `Bearer`, if any. */
  readonly challenge?: string;
  close?(): Promise<void>;
}

/** Kinds of callers, as `baseIdentityProvider` names them. */
export type Identity =
  | "auth_token"
  | "hmac_key"
  | "basic_auth_user"
  | "jwt_claim"
  | "oidc_user"
  | "oauth_key"
  | "custom_auth";

/** A method as created by emitted code; creating it opens nothing. */
export interface AuthenticationMethod {
  /** The kind of its callers. */
  readonly identity: Identity;
  /** The credential of the gateway's own keys and clients that it accepts; absent if it accepts only others. */
  readonly accepts?: AcceptedCredential;
  /** As `Protection.start`. */
  start(context: ProtectionContext): Authenticator | Promise<Authenticator>;
}
