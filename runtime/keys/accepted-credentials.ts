// Which credentials an API accepts, for the portal, which issues them.

/** A kind of credential, as the portal issues them. */
export type CredentialKind = "token" | "basic" | "oauth" | "jwt" | "hmac" | "mutualTLS";

/** How tokens are signed that a caller signs itself. */
export interface TokenSigning {
  /** Algorithms of one family take the same kind of key. */
  readonly family: "hmac" | "rsa" | "ecdsa" | "eddsa";
  /** Names of algorithms (RFC 7518), such as `ES256`. */
  readonly names: ReadonlySet<string>;
}

/** A kind of credential that a scheme of an API accepts. */
export interface AcceptedCredential {
  readonly kind: CredentialKind;
  /** Of `jwt`. */
  readonly signing?: TokenSigning;
}

/**
 * What an API accepts; empty where it accepts no credential that a portal issues. `undefined` where the gateway does not
 * serve the API, or serves it to all.
 */
export type FindAccepted = (api: string) => readonly AcceptedCredential[] | undefined;
