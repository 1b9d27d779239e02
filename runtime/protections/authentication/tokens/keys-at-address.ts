// Keys that the owner of a key publishes: the tokens of one developer, at an address that the developer named.

import { readOutsideJson } from "../../../requests/outside-json.ts";
import type { AllowedAlgorithms } from "./algorithms.ts";
import { type PublishedKeysContext, publishedKeys } from "./published-keys.ts";
import { createTokenVerifier, type TokenVerifier } from "./token-verifier.ts";

/** Where a developer publishes keys. */
export interface KeyAddress {
  readonly url: string;
  /** Whether that may be an address that is not public. */
  readonly allowPrivate: boolean;
}

/** Bytes of a key set, and milliseconds that fetching it may take. */
const bounds = { longest: 64 * 1024, patience: 5_000 };

/**
 * Verifies tokens by the keys at an address, whatever these are called there: `kid` of such a token names the key of the
 * gateway. A token that none of them has signed has the keys fetched once more, at most every 30 seconds. `most`: how many
 * tokens are remembered.
 */
export function verifierOfAddress(
  { url, allowPrivate }: KeyAddress,
  algorithms: AllowedAlgorithms,
  most: number,
  context: PublishedKeysContext,
): TokenVerifier {
  const ask = (signal: AbortSignal) => readOutsideJson({ url, allowPrivate, signal, ...bounds });
  const keys = publishedKeys({ url, ask }, context);
  const unnamed = { version: () => keys.version(), find: ({ alg }: { alg: string }) => keys.find({ alg }) };
  const verifier = createTokenVerifier(algorithms, unnamed, most);
  return {
    async verify(token) {
      const signed = await verifier.verify(token);
      if (signed !== undefined) return signed;
      return (await keys.search()) ? verifier.verify(token) : undefined;
    },
  };
}
