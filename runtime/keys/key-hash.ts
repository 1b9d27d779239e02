// Hashes that identify keys wherever the keys themselves must not appear.

import { hash } from "node:crypto";

/**
 * Returns the name of a key in records and counters: its SHA-256 digest in hexadecimal digits. Keys are long and
 * random, so a fast hash is sufficient; passwords use a slow one (`passwords.ts`). Lookups cannot be timed to learn a
 * hash, because callers choose the key, not its hash.
 */
export function hashKey(key: string): string {
  return hash("sha256", key, "hex");
}

/** Returns the name of a user in counters. No key has this name. */
export function hashUser(name: string): string {
  return hashKey(`user ${name}`);
}
