// Checks the key sets (RFC 7517) that developers publish before a key is issued for one.

import { importJWK, type JWK } from "jose";
import type { TokenSigning } from "../../keys/accepted-credentials.ts";
import { OutsideError, readOutsideJson } from "../../requests/outside-json.ts";
import { refusal } from "../../rest/answers.ts";

/** The address of a suitable key set. */
export interface KeySetAddress {
  readonly url: string;
  /** Whether the operator allows the origin in addition to public addresses. */
  readonly isAllowed: boolean;
}

/**
 * Reads the key set at an address. Rejects with a `refusal` (400) that explains the problem if the set cannot be
 * fetched, or if none of its keys verifies tokens by one of `signings`. If `signings` is `undefined`, any public key is
 * suitable.
 */
export type KeySetReader = (
  url: string,
  signings: readonly TokenSigning[] | undefined,
) => Promise<KeySetAddress>;

const bounds = { longest: 64 * 1024, patience: 5_000 };
/** The maximum number of keys of a set that are checked. */
const mostKeys = 32;

/** Returns a reader for public `https` addresses and addresses at `origins`. */
export function keySetReader(origins: readonly string[], signal: AbortSignal): KeySetReader {
  const allowed = new Set(origins.map((origin) => URL.parse(origin)?.origin));
  return async (url, signings) => {
    if (signings?.every(({ family }) => family === "hmac"))
      throw refusal(400, "`jwt_secret` is an address, and the API verifies tokens by a shared secret.");
    const isAllowed = allowed.has(URL.parse(url)?.origin ?? "");
    const set = await read(url, isAllowed, signal);
    const algorithms = signings === undefined ? undefined : signings.flatMap(({ names }) => [...names]);
    const isFit = await Promise.all(set.slice(0, mostKeys).map((key) => verifiesBy(key, algorithms)));
    if (isFit.includes(true)) return { url, isAllowed };
    const wanted = algorithms === undefined ? "" : ` by ${algorithms.join(", ")}`;
    throw refusal(
      400,
      `\`jwt_secret\` is the address of a key set without a public key that verifies tokens${wanted}.`,
    );
  };
}

async function read(url: string, allowPrivate: boolean, signal: AbortSignal): Promise<readonly unknown[]> {
  try {
    const answer = await readOutsideJson({ url, allowPrivate, signal, ...bounds });
    if (typeof answer === "object" && answer !== null && "keys" in answer && Array.isArray(answer.keys))
      return answer.keys;
    throw new OutsideError("its answer holds no `keys`");
  } catch (error) {
    if (!(error instanceof OutsideError)) throw error;
    throw refusal(400, `\`jwt_secret\` is an address without a key set: ${error.message}.`);
  }
}

const everyAlgorithm: readonly string[] = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

/** Whether a key can verify tokens, by one of `algorithms` if they are known. */
async function verifiesBy(key: unknown, algorithms: readonly string[] | undefined): Promise<boolean> {
  if (!isPublicKey(key)) return false;
  const own = key.alg;
  const possible = algorithms ?? everyAlgorithm;
  const wanted = typeof own === "string" ? possible.filter((each) => each === own) : possible;
  for (const algorithm of wanted) {
    try {
      await importJWK(key, algorithm);
      if (fits(key, algorithm)) return true;
    } catch {
      // A key of another kind. Try the next algorithm.
    }
  }
  return false;
}

/** Whether the key has the type and curve of the algorithm (RFC 7518, section 3.1; RFC 8037). */
function fits({ kty, crv }: JWK, algorithm: string): boolean {
  if (/^[RP]S/.test(algorithm)) return kty === "RSA";
  const curves: Readonly<Record<string, string>> = {
    ES256: "P-256",
    ES384: "P-384",
    ES512: "P-521",
    EdDSA: "Ed25519",
    Ed25519: "Ed25519",
  };
  return crv !== undefined && curves[algorithm] === crv;
}

/** Whether a key is public and not for encryption. Secrets and private keys in a set are published by mistake. */
function isPublicKey(key: unknown): key is JWK {
  if (typeof key !== "object" || key === null || "d" in key || "k" in key) return false;
  return !("use" in key) || key.use === "sig";
}
