// Password hashes with argon2 (RFC 9106), such as `$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH`.

import * as crypto from "node:crypto";
import { timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { EnvironmentError } from "../process/environment.ts";
import { trimmedEnd } from "../text/trim.ts";
import { encodeUtf8 } from "../text/utf8.ts";

const form =
  /^\$(argon2id?)\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{16,128})$/;

/** The costs of new hashes: 19 MiB, two passes, one lane, as OWASP recommends. */
const costs = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };

/**
 * Returns a function that compares passwords with an argon2 hash; `undefined` if `hash` is not an argon2id or argon2i
 * hash. Throws an `EnvironmentError` if Node does not support argon2.
 */
export function argonTest(hash: string): ((password: string) => Promise<boolean>) | undefined {
  const [, variant, memory, passes, lanes, salt = "", key = ""] = form.exec(hash) ?? [];
  if (variant === undefined) return undefined;
  requireArgon();
  const wanted = Buffer.from(key, "base64");
  const parameters = {
    nonce: Buffer.from(salt, "base64"),
    // Smaller values are rounded up, as in other implementations.
    memory: Math.max(Number(memory), 8 * Number(lanes)),
    passes: Number(passes),
    parallelism: Number(lanes),
    tagLength: wanted.length,
  };
  const algorithm = variant === "argon2id" ? "argon2id" : "argon2i";
  return async (password) => {
    const given = await compute(algorithm, { ...parameters, message: encodeUtf8(password) });
    return timingSafeEqual(given, wanted);
  };
}

/** Returns the hash of a new password, with a random salt. */
export async function hashPassword(password: string): Promise<string> {
  requireArgon();
  const nonce = crypto.randomBytes(16);
  const key = await compute("argon2id", { ...costs, nonce, message: encodeUtf8(password) });
  return `$argon2id$v=19$m=${costs.memory},t=${costs.passes},p=1$${base64(nonce)}$${base64(key)}`;
}

function base64(bytes: Buffer): string {
  return trimmedEnd(bytes.toString("base64"), "=");
}

/**
 * Throws if Node lacks argon2, which needs 24.7. A named import would prevent older versions from loading the gateway.
 */
function requireArgon(): void {
  if (typeof crypto.argon2 === "function") return;
  throw new EnvironmentError([
    `passwords need Node 24.7 or newer, and this is Node ${process.versions.node}`,
  ]);
}

/** Computes a hash on a thread of Node's pool. */
function compute(algorithm: crypto.Argon2Algorithm, parameters: crypto.Argon2Parameters): Promise<Buffer> {
  return promisify(crypto.argon2)(algorithm, parameters);
}
