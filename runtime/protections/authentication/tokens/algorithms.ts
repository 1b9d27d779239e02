// The algorithms with which tokens may be signed: the configuration decides, never the token.

import type { TokenSigning } from "../../../keys/accepted-credentials.ts";

/** Algorithms with the same kind of key. */
export type Family = TokenSigning["family"];

const families: Readonly<Record<Family, readonly string[]>> = {
  hmac: ["HS256", "HS384", "HS512"],
  rsa: ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ecdsa: ["ES256", "ES384", "ES512"],
  eddsa: ["EdDSA", "Ed25519"],
};

/**
 * The algorithms that a scheme accepts: all of one family, so that a key of one kind never verifies as another kind.
 */
export type AllowedAlgorithms = TokenSigning;

/** Parses `signingMethod`: a family or a single algorithm; `undefined` if it is neither. */
export function findAlgorithms(method: string): AllowedAlgorithms | undefined {
  for (const family of ["hmac", "rsa", "ecdsa", "eddsa"] as const) {
    const names = families[family];
    if (method === family) return { family, names: new Set(names) };
    if (names.includes(method)) return { family, names: new Set([method]) };
  }
  return undefined;
}
