// Secrets of webhooks: their format, and their encryption in the store. They sign, so hashes are not sufficient.

import { randomBytes } from "node:crypto";
import { openText, sealKeyBytes, sealText } from "../../keys/sealed-text.ts";
import type { Environment } from "../../process/environment.ts";
import { refusal } from "../../rest/answers.ts";
import { trimmedEnd } from "../../text/trim.ts";

/** Precedes the base64 of a secret's bytes (Standard Webhooks, "signature scheme"). */
const prefix = "whsec_";
/** The number of bytes of a generated secret. */
const ownBytes = 32;

/** Generates a secret. */
export function createSecret(): string {
  return prefix + randomBytes(ownBytes).toString("base64");
}

/** Returns the bytes of the signing key; `undefined` if the part after the prefix is not base64. */
export function keyOfSecret(secret: string): Buffer | undefined {
  if (!secret.startsWith(prefix)) return Buffer.from(secret, "utf8");
  const text = secret.slice(prefix.length);
  const key = Buffer.from(text, "base64");
  return trimmedEnd(key.toString("base64"), "=") === trimmedEnd(text, "=") ? key : undefined;
}

/** Throws a 422, without quoting the secret, if it cannot sign. */
export function checkSecret(secret: string): void {
  if (isUsableSecret(secret)) return;
  throw refusal(422, "Webhook object validation failed.", [
    "secret: must be whsec_ and base64 of 16 to 64 bytes, or another text of 8 characters at least",
  ]);
}

/** Whether a secret can sign and has a suitable length. */
export function isUsableSecret(secret: string): boolean {
  const { length } = keyOfSecret(secret) ?? [];
  return secret.startsWith(prefix) ? length >= 16 && length <= 64 : length >= 8;
}

/** Encrypts secrets for the store and decrypts them. */
export interface Sealing {
  seal(secret: string): string;
  /** Throws an `Error` if the text was sealed with another key or has been modified. */
  open(sealed: string): string;
}

const encrypted = "aes-256-gcm:";
const plain = "plain:";

/**
 * Encrypts secrets with the key in `GW_WEBHOOK_SECRETS_KEY` (32 bytes as base64). Without a key, stores them
 * unencrypted; these can still be read once a key is set.
 */
export function readSealing(env: Environment): Sealing {
  const text = env.text("GW_WEBHOOK_SECRETS_KEY", "");
  const key = text === "" ? undefined : Buffer.from(text, "base64");
  if (key !== undefined && key.length !== sealKeyBytes) {
    env.refuse("GW_WEBHOOK_SECRETS_KEY", "is not the base64 of 32 bytes");
  }
  return {
    seal: (secret) =>
      key === undefined ? plain + secret : encrypted + sealText(key, secret).toString("base64"),
    open(sealed) {
      if (sealed.startsWith(plain)) return sealed.slice(plain.length);
      if (key === undefined) throw new Error("GW_WEBHOOK_SECRETS_KEY is not set, and a secret is encrypted");
      return decrypt(key, sealed.slice(encrypted.length));
    },
  };
}

function decrypt(key: Buffer, text: string): string {
  try {
    return openText(key, Buffer.from(text, "base64"));
  } catch (error) {
    throw new Error("a secret was encrypted with another key than that of GW_WEBHOOK_SECRETS_KEY", {
      cause: error,
    });
  }
}
