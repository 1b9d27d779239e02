// Compares passwords of users with their hashes.

import { EnvironmentError } from "../process/environment.ts";
import { argonTest } from "./argon.ts";
import { bcryptTest } from "./bcrypt.ts";
import { hashKey } from "./key-hash.ts";

/** The hash of a password. */
export interface PasswordTest {
  /** Identifies the hash; it changes when the password does. */
  readonly id: string;
  /** Verifies a password. This is slow on purpose, and does not block the event loop. */
  verify(password: string): Promise<boolean>;
}

/**
 * Returns the test for a hash, which contains its algorithm, costs and salt. Throws an `EnvironmentError` if `hash` is
 * not a hash of argon2 or bcrypt, which can only happen if it comes from the environment.
 */
export function passwordTest(hash: string): PasswordTest {
  const verify = argonTest(hash) ?? bcryptTest(hash);
  if (verify === undefined) {
    throw new EnvironmentError(["the `password` of a key is not a hash of argon2 or bcrypt"]);
  }
  return { id: hashKey(hash), verify };
}
