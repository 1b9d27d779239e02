// Requirements for new passwords of developers, and their hashes in the store.

import { bcryptTest } from "../../keys/bcrypt.ts";
import type { PasswordWork } from "../../keys/password-work.ts";
import { passwordTest } from "../../keys/passwords.ts";
import type { DeveloperRecord } from "./owner-records.ts";

const leastCharacters = 6;
/** Longer passwords would only cost hashing time. */
const mostCharacters = 256;
/** The number of former passwords that must not be used again. */
const remembered = 5;
/** The maximum cost of a bcrypt hash, as a power of two: it bounds the work of a comparison. */
const mostBcryptCost = 14;

/** The fields of a developer's record that a new password changes. */
export type PasswordFields = Required<Pick<DeveloperRecord, "password" | "password_updated" | "PWHistory">>;

/** Returns the problems of a new password, each as `password: …`, without quoting the password. */
export function findFaults(password: string, { email }: Pick<DeveloperRecord, "email">): readonly string[] {
  const bcrypt = readBcrypt(password);
  if (bcrypt !== undefined) {
    return bcrypt.cost > mostBcryptCost
      ? [`password: Cost of bcrypt must be less than or equal to ${mostBcryptCost}`]
      : [];
  }
  const { length } = [...password];
  if (length < leastCharacters)
    return [`password: String length must be greater than or equal to ${leastCharacters}`];
  if (length > mostCharacters)
    return [`password: String length must be less than or equal to ${mostCharacters}`];
  return password.toLowerCase() === email.toLowerCase() ? ["password: Must not be the e-mail address"] : [];
}

/**
 * Whether a password without faults equals the current one or one of the last former ones. If `password` is a bcrypt
 * hash, only an identical hash is recognised.
 */
export async function isReused(
  work: PasswordWork,
  password: string,
  { password: present, PWHistory: history = [] }: Pick<DeveloperRecord, "password" | "PWHistory">,
): Promise<boolean> {
  for (const hash of [...(present === undefined ? [] : [present]), ...history]) {
    const isSame =
      readBcrypt(password) === undefined
        ? await work.verify(password, passwordTest(hash))
        : hash === password;
    if (typeof isSame !== "boolean") throw isSame;
    if (isSame) return true;
  }
  return false;
}

/**
 * Returns the fields to store for a new password. A bcrypt hash is stored as it is until a login reveals the password.
 */
export async function keepPassword(
  work: PasswordWork,
  password: string,
  { password: former, PWHistory: history = [] }: Pick<DeveloperRecord, "password" | "PWHistory">,
): Promise<PasswordFields> {
  const hash = readBcrypt(password) === undefined ? await work.hash(password) : password;
  if (typeof hash !== "string") throw hash;
  return {
    password: hash,
    password_updated: new Date().toISOString(),
    PWHistory: [...(former === undefined ? [] : [former]), ...history].slice(0, remembered),
  };
}

/** Returns the cost of a bcrypt hash; `undefined` if `text` is not a bcrypt hash. */
export function readBcrypt(text: string): { readonly cost: number } | undefined {
  return bcryptTest(text) === undefined ? undefined : { cost: Number(text.split("$")[2]) };
}
