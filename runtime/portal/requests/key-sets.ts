// Key sets (RFC 7517) that developers publish, as they are looked at before a key is given for one.

import { importJWK, type JWK } from "jose";
import type { TokenSigning } from "../../keys/accepted-credentials.ts";
import { OutsideError, readOutsideJson } from "../../requests/outside-json.ts";
import { refusal } from "../../rest/answers.ts";

/** A key set that was found fit. */
export interface KeySetAddress {
  readonly url: string;
  /** Whether the origin is one that the operator allows besides public addresses. */
  readonly isAllowed: boolean;
}

/**
 * Reads the key set at an address. Rejects with a `refusal` (400) that says why it is of no use: it cannot be had, or none
 * of its keys verifies tokens by one of `signings`; any key will do where these are not known.
 */
export type KeySetReader = (
  url: string,
  signings: readonly TokenSigning[] | undefined,
) => Promise<KeySetAddress>;

const bounds = { longest: 64 * 1024, patience: 5_000 };
/** Keys of a set that are looked at. */
const mostKeys = 32;

/** A reader for addresses of `https` that are public, and for those below `origins`. */
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

/** Whether a key can be used at all, by one of the algorithms where these are known. */
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
      // A key of another kind; the next algorithm may be that of the key.
    }
  }
  return false;
}

/** Of one family an algorithm takes a key of a certain type and curve (RFC 7518, section 3.1; RFC 8037). */
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

/** Neither a secret nor a private key, which are published by mistake only, nor one for encryption. */
function isPublicKey(key: unknown): key is JWK {
  if (typeof key !== "object" || key === null || "d" in key || "k" in key) return false;
  return !("use" in key) || key.use === "sig";
}
