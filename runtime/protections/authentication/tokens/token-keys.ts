// Keys that tokens are verified with.

import { createPublicKey, createSecretKey, type KeyObject } from "node:crypto";
import type { CryptoKey } from "jose";
import { EnvironmentError } from "../../../process/environment.ts";
import type { Family } from "./algorithms.ts";

/** What the head of a token says about its signature; nothing of it is proven. */
export interface TokenHead {
  /** One of the algorithms that the configuration allows. */
  readonly alg: string;
  /** Names the key. */
  readonly kid?: string;
}

/** A key as the verifier takes it. */
export type VerificationKey = CryptoKey | KeyObject;

/** Keys of one scheme. */
export interface TokenKeys {
  /**
   * A name for these keys, which changes with them: what older ones have verified does not hold any more. Rejects with
   * a `GatewayError` (503) while there are no keys that may still be trusted.
   */
  version(): string | Promise<string>;
  /** Those that may have signed a token with that head, the likelier first. Rejects as `version`. */
  find(head: TokenHead): Promise<readonly VerificationKey[]>;
}

/** Fewest bytes of a shared secret: RFC 7518, section 3.2, for HS256. */
const shortestSecret = 32;

/**
 * The key written in a document: PEM (a public key or a certificate), or a secret where the family is `hmac`; either
 * also in Base64. A secret is taken both as written and decoded, since a text can be both. Throws an
 * `EnvironmentError` where it is not one.
 */
export function staticKeys(source: string, family: Family): TokenKeys {
  const keys = family === "hmac" ? readSecrets(source) : [readPublicKey(source)];
  return { version: () => "", find: async () => keys };
}

function readSecrets(source: string): readonly KeyObject[] {
  const texts = [decodeBase64(source), Buffer.from(source)].filter((each) => each !== undefined);
  // A public key that serves as a secret is not secret.
  if (texts.some((text) => text.includes("-----BEGIN "))) {
    throw new EnvironmentError([
      "the secret of tokens is a key in PEM, which `signingMethod: hmac` cannot use",
    ]);
  }
  const long = texts.filter((text) => text.length >= shortestSecret);
  if (long.length === 0) {
    throw new EnvironmentError([`the secret of tokens is shorter than ${shortestSecret} bytes`]);
  }
  return long.map((text) => createSecretKey(text));
}

function readPublicKey(source: string): KeyObject {
  const pem = source.includes("-----BEGIN ") ? source : decodeBase64(source)?.toString("latin1");
  try {
    if (pem !== undefined && !pem.includes("PRIVATE KEY-----")) return createPublicKey(pem);
  } catch {
    // Said below; what the platform says quotes the text.
  }
  throw new EnvironmentError(["the key of tokens is not a public key or certificate in PEM"]);
}

/** The bytes; `undefined` for what is not Base64. */
function decodeBase64(text: string): Buffer | undefined {
  const plain = text.replaceAll(/\s/g, "");
  return /^[A-Za-z0-9+/]+={0,2}$/.test(plain) && plain.length % 4 === 0
    ? Buffer.from(plain, "base64")
    : undefined;
}
