// Whether a token was signed by an issuer that the configuration trusts (RFC 7515, RFC 8725).

import { hash } from "node:crypto";
import { compactVerify, decodeProtectedHeader, errors } from "jose";
import { BoundedCache } from "../../../concurrency/bounded-cache.ts";
import type { AllowedAlgorithms } from "./algorithms.ts";
import type { TokenHead, TokenKeys, VerificationKey } from "./token-keys.ts";

/** What a token says, once its signature holds; its times and names are still to be checked. */
export type Claims = Readonly<Record<string, unknown>>;

/** A token whose signature holds. */
export interface SignedToken {
  readonly claims: Claims;
  /** The name of the key, as the token gave it. */
  readonly kid?: string;
}

export interface TokenVerifier {
  /** `undefined` for what is not a token, or none whose signature holds. Rejects with a `GatewayError` (503) without keys. */
  verify(token: string): Promise<SignedToken | undefined>;
}

interface Remembered {
  readonly signed: SignedToken;
  /** Of the keys that it was verified with. */
  readonly version: string;
}

/** Characters of the longest token that is looked at. */
const longest = 8_192;
/** Tokens whose signatures are remembered: checking one again costs a hundred times more. */
const mostRemembered = 5_000;

/**
 * A verifier that accepts `allowed` algorithms only: what a token names itself is looked up among them before any key
 * is. A signature is checked once as long as the keys stay what they are.
 */
export function createTokenVerifier(
  allowed: AllowedAlgorithms,
  keys: TokenKeys,
  most: number = mostRemembered,
): TokenVerifier {
  // Whether a token has expired is looked at each time; its signature stays what it is.
  const remembered = new BoundedCache<Remembered>(most, Number.POSITIVE_INFINITY);
  return {
    async verify(token) {
      const head = token.length > longest ? undefined : readHead(token, allowed);
      if (head === undefined) return undefined;
      const asked = keys.version();
      const version = typeof asked === "string" ? asked : await asked;
      const name = hash("sha256", token, "base64url");
      const known = remembered.get(name);
      if (known?.version === version) return known.signed;
      const claims = await verifyWithAny(token, await keys.find(head), allowed);
      if (claims === undefined) return undefined;
      const signed = { claims, ...(head.kid !== undefined && { kid: head.kid }) };
      // The keys may have changed while the signature was checked; then it is checked again next time.
      remembered.set(name, { signed, version });
      return signed;
    },
  };
}

function readHead(token: string, { names }: AllowedAlgorithms): TokenHead | undefined {
  try {
    const { alg, kid, b64 = true } = decodeProtectedHeader(token);
    if (alg === undefined || !names.has(alg) || (kid !== undefined && typeof kid !== "string"))
      return undefined;
    // A token of claims is never signed over its plain text (RFC 7797, section 7).
    if (b64 !== true) return undefined;
    return { alg, ...(kid !== undefined && { kid }) };
  } catch {
    return undefined; // what it throws says that this is not a token
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
      // Keys of another kind than the algorithm needs make a TypeError: they have not signed the token.
      if (!(error instanceof errors.JOSEError || error instanceof TypeError)) throw error;
    }
  }
  return undefined;
}

/** Without a prototype, so that no claim is found that the token does not have. */
function readClaims(payload: Uint8Array): Claims | undefined {
  try {
    const claims: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(payload));
    if (typeof claims !== "object" || claims === null || Array.isArray(claims)) return undefined;
    return Object.assign(Object.create(null), claims);
  } catch {
    return undefined; // no JSON: signed, but no token of claims
  }
}
