// The keys with which tokens are verified.

import { createPublicKey, createSecretKey, type KeyObject } from "node:crypto";
import type { CryptoKey } from "jose";
import { EnvironmentError } from "../../../process/environment.ts";
import type { Family } from "./algorithms.ts";

/** What the head of a token says about its signature; not verified. */
export interface TokenHead {
  /** One of the algorithms that the configuration allows. */
  readonly alg: string;
  /** The name of the key. */
  readonly kid?: string;
}

/** A key in the form that the verifier accepts. */
export type VerificationKey = CryptoKey | KeyObject;

/** The keys of one scheme. */
export interface TokenKeys {
  /**
   * Returns a text that changes with the keys: signatures verified under another version must be verified again.
   * Rejects with a `GatewayError` (503) if no keys may be trusted at present.
   */
  version(): string | Promise<string>;
  /** Resolves with the keys that may have signed a token with this head, likely ones first. Rejects like `version`. */
  find(head: TokenHead): Promise<readonly VerificationKey[]>;
}

/** The fewest bytes of a shared secret, which RFC 7518, section 3.2, requires for HS256. */
const shortestSecret = 32;

/**
 * Returns the key in a document: PEM (a public key or a certificate), or a secret if the family is `hmac`; either
 * also in Base64. A secret is accepted both as written and decoded, since a text may be both. Throws an
 * `EnvironmentError` if it is not a key.
 */
export function staticKeys(source: string, family: Family): TokenKeys {
  const keys = family === "hmac" ? readSecrets(source) : [readPublicKey(source)];
  return { version: () => "", find: async () => keys };
}

function readSecrets(source: string): readonly KeyObject[] {
  const texts = [decodeBase64(source), Buffer.from(source)].filter((each) => each !== undefined);
  // Refuse public keys as secrets: they are not secret.
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
    // The error below replaces that of the platform, which quotes the text.
  }
  throw new EnvironmentError(["the key of tokens is not a public key or certificate in PEM"]);
}

/** Returns the decoded bytes; `undefined` if the text is not Base64. */
function decodeBase64(text: string): Buffer | undefined {
  const plain = text.replaceAll(/\s/g, "");
  return /^[A-Za-z0-9+/]+={0,2}$/.test(plain) && plain.length % 4 === 0
    ? Buffer.from(plain, "base64")
    : undefined;
}
