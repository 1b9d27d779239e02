// Passwords of users, compared with their hashes.

import { EnvironmentError } from "../process/environment.ts";
import { argonTest } from "./argon.ts";
import { bcryptTest } from "./bcrypt.ts";
import { hashKey } from "./key-hash.ts";

/** The hash of a password. */
export interface PasswordTest {
  /** Names the hash, and so is another one when the password was changed. */
  readonly id: string;
  /** Whether that is the password; takes long on purpose, and not on the event loop. */
  verify(password: string): Promise<boolean>;
}

/**
 * Holds passwords against a hash, which names its algorithm, costs and salt. Throws an `EnvironmentError` for what is no
 * hash of argon2 or bcrypt, which only the environment can bring.
 */
export function passwordTest(hash: string): PasswordTest {
  const verify = argonTest(hash) ?? bcryptTest(hash);
  if (verify === undefined) {
    throw new EnvironmentError(["the `password` of a key is not a hash of argon2 or bcrypt"]);
  }
  return { id: hashKey(hash), verify };
}
