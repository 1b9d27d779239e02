// The credentials that an API accepts, for the portal, which issues them.

/** A kind of credential that the portal issues. */
export type CredentialKind = "token" | "basic" | "oauth" | "jwt" | "hmac" | "mutualTLS";

/** The signature algorithms for tokens that callers sign themselves. */
export interface TokenSigning {
  /** Algorithms of one family use the same kind of key. */
  readonly family: "hmac" | "rsa" | "ecdsa" | "eddsa";
  /** Names of algorithms (RFC 7518), such as `ES256`. */
  readonly names: ReadonlySet<string>;
}

/** A kind of credential that a security scheme of an API accepts. */
export interface AcceptedCredential {
  readonly kind: CredentialKind;
  /** Only for `jwt`. */
  readonly signing?: TokenSigning;
}

/**
 * Returns the credentials that an API accepts; empty if it accepts none that a portal issues. `undefined` if the
 * gateway does not serve the API, or serves it without authentication.
 */
export type FindAccepted = (api: string) => readonly AcceptedCredential[] | undefined;
