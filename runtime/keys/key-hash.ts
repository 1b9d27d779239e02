// What keys are called where they must not be written.

import { hash } from "node:crypto";

/**
 * What names a key in records and counters: its SHA-256 in hexadecimal digits. A fast hash is enough for keys, which are
 * long and random; passwords have their own (`passwords.ts`). Looking a hash up cannot be timed to learn one: a caller
 * chooses the key, not its hash.
 */
export function hashKey(key: string): string {
  return hash("sha256", key, "hex");
}

/** What names a user in counters; no key has that name. */
export function hashUser(name: string): string {
  return hashKey(`user ${name}`);
}
