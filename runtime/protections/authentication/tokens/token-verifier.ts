// Verifies that a trusted issuer signed a token (RFC 7515, RFC 8725).

import { hash } from "node:crypto";
import { compactVerify, decodeProtectedHeader, errors } from "jose";
import type { Eventually } from "../../../component/resource.ts";
import { BoundedCache } from "../../../concurrency/bounded-cache.ts";
import type { AllowedAlgorithms } from "./algorithms.ts";
import type { TokenHead, TokenKeys, VerificationKey } from "./token-keys.ts";

/** The claims of a token with a valid signature; times and names are not validated yet. */
export type Claims = Readonly<Record<string, unknown>>;

/** A token with a valid signature. */
export interface SignedToken {
  readonly claims: Claims;
  /** The name of the key in the token. */
  readonly kid?: string;
}

export interface TokenVerifier {
  /**
   * Returns `undefined` if the token is not valid; a token that was verified before is returned without a promise.
   * Rejects with a `GatewayError` (503) if there are no keys.
   */
  verify(token: string): Eventually<SignedToken | undefined>;
}

interface Remembered {
  readonly head: TokenHead;
  readonly signed: SignedToken;
  /** The version of the keys that verified it. */
  readonly version: string;
}

/** The longest token that is verified, in characters. */
const longest = 8_192;
/** The most cached tokens: verifying a signature again costs a hundred times more. */
const mostRemembered = 5_000;

/**
 * Returns a verifier that accepts only `allowed` algorithms: the token's algorithm is checked before any key is
 * looked up. A signature is verified once, as long as the keys do not change.
 */
export function createTokenVerifier(
  allowed: AllowedAlgorithms,
  keys: TokenKeys,
  most: number = mostRemembered,
): TokenVerifier {
  // Expiry is checked each time; only the signature is cached.
  const remembered = new BoundedCache<Remembered>(most, Number.POSITIVE_INFINITY);

  /** `version`: that of the keys, from before they are looked up. */
  async function verify(
    token: string,
    head: TokenHead,
    name: string,
    version: string,
  ): Promise<SignedToken | undefined> {
    const claims = await verifyWithAny(token, await keys.find(head), allowed);
    if (claims === undefined) return undefined;
    const signed = { claims, ...(head.kid !== undefined && { kid: head.kid }) };
    // The keys may have changed meanwhile; the version then makes sure that the signature is verified again.
    remembered.set(name, { head, signed, version });
    return signed;
  }

  return {
    verify(token) {
      if (token.length > longest) return undefined;
      const name = hash("sha256", token, "base64url");
      const known = remembered.get(name);
      const head = known?.head ?? readHead(token, allowed);
      if (head === undefined) return undefined;
      const judge = (version: string) =>
        known?.version === version ? known.signed : verify(token, head, name, version);
      const version = keys.version();
      return typeof version === "string" ? judge(version) : version.then(judge);
    },
  };
}

function readHead(token: string, { names }: AllowedAlgorithms): TokenHead | undefined {
  try {
    const { alg, kid, b64 = true } = decodeProtectedHeader(token);
    if (alg === undefined || !names.has(alg) || (kid !== undefined && typeof kid !== "string"))
      return undefined;
    // Claims are never signed over their plain text (RFC 7797, section 7).
    if (b64 !== true) return undefined;
    return { alg, ...(kid !== undefined && { kid }) };
  } catch {
    return undefined; // jose throws if it is not a token
  }
}

async function verifyWithAny(
  token: string,
  keys: readonly VerificationKey[],
  { names }: AllowedAlgorithms,
): Promise<Claims | undefined> {
  for (const key of keys) {
    try {
      const { payload } = await compactVerify(token, key, { algorithms: [...names] });
      return readClaims(payload);
    } catch (error) {
      // A key of the wrong kind for the algorithm causes a TypeError: it did not sign the token.
      if (!(error instanceof errors.JOSEError || error instanceof TypeError)) throw error;
    }
  }
  return undefined;
}

/** Parses claims into an object without a prototype, so that no inherited property counts as a claim. */
function readClaims(payload: Uint8Array): Claims | undefined {
  try {
    const claims: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(payload));
    if (typeof claims !== "object" || claims === null || Array.isArray(claims)) return undefined;
    return Object.assign(Object.create(null), claims);
  } catch {
    return undefined; // signed, but the payload is not JSON
  }
}
