// Secrets of webhooks: what texts stand for, and how they are kept. They sign, so they cannot be kept as hashes.

import { randomBytes } from "node:crypto";
import { openText, sealKeyBytes, sealText } from "../../keys/sealed-text.ts";
import { type Environment, EnvironmentError } from "../../process/environment.ts";
import { refusal } from "../../rest/answers.ts";
import { trimmedEnd } from "../../text/trim.ts";

/** Before the base64 of a secret's bytes (Standard Webhooks, "signature scheme"). */
const prefix = "whsec_";
/** Bytes of one that the server makes. */
const ownBytes = 32;

/** A new secret. */
export function createSecret(): string {
  return prefix + randomBytes(ownBytes).toString("base64");
}

/** The bytes that sign; `undefined` for a text that begins as base64 and goes on as something else. */
export function keyOfSecret(secret: string): Buffer | undefined {
  if (!secret.startsWith(prefix)) return Buffer.from(secret, "utf8");
  const text = secret.slice(prefix.length);
  const key = Buffer.from(text, "base64");
  return trimmedEnd(key.toString("base64"), "=") === trimmedEnd(text, "=") ? key : undefined;
}

/** Throws a 422 for a secret that cannot sign, without quoting it. */
export function checkSecret(secret: string): void {
  if (isUsableSecret(secret)) return;
  throw refusal(422, "Webhook object validation failed.", [
    "secret: must be whsec_ and base64 of 16 to 64 bytes, or another text of 8 characters at least",
  ]);
}

/** Whether a secret can sign, and is not too short for that. */
export function isUsableSecret(secret: string): boolean {
  const { length } = keyOfSecret(secret) ?? [];
  return secret.startsWith(prefix) ? length >= 16 && length <= 64 : length >= 8;
}

/** How secrets are written into the store and read from there. */
export interface Sealing {
  seal(secret: string): string;
  /** Throws an `Error` for what was sealed by another key, or changed since. */
  open(sealed: string): string;
}

const encrypted = "aes-256-gcm:";
const plain = "plain:";

/**
 * With a key in `GW_WEBHOOK_SECRETS_KEY` (32 bytes as base64) secrets are encrypted, without they are kept as they are. What
 * was written without one can be read with one. Throws an `EnvironmentError` for a key of another length.
 */
export function readSealing(env: Environment): Sealing {
  const text = env.text("GW_WEBHOOK_SECRETS_KEY", "");
  const key = text === "" ? undefined : Buffer.from(text, "base64");
  if (key !== undefined && key.length !== sealKeyBytes) {
    throw new EnvironmentError(["GW_WEBHOOK_SECRETS_KEY is not the base64 of 32 bytes"]);
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
