// New passwords of developers: what they have to be, and what is kept of them.

import { bcryptTest } from "../../keys/bcrypt.ts";
import type { PasswordWork } from "../../keys/password-work.ts";
import { passwordTest } from "../../keys/passwords.ts";
import type { DeveloperRecord } from "./owner-records.ts";

const leastCharacters = 6;
/** More would only keep the hash busy. */
const mostCharacters = 256;
/** Passwords before the present one that must not come back. */
const remembered = 5;
/** What holding a password against a bcrypt hash may cost: two to the power of this. */
const mostBcryptCost = 14;

/** What of a developer's record a new password changes. */
export type PasswordFields = Required<Pick<DeveloperRecord, "password" | "password_updated" | "PWHistory">>;

/** What is wrong with a new password, each as `password: …`; without quoting it. */
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
 * Whether a password, which has no faults, is the present one or one of the last few before it. Of one that comes as a
 * bcrypt hash only the very same hash is recognised.
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

/** What is kept of a new password. A bcrypt hash is kept until the password is verified, and so known. */
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

/** The cost of a bcrypt hash; `undefined` for what is not one. */
export function readBcrypt(text: string): { readonly cost: number } | undefined {
  return bcryptTest(text) === undefined ? undefined : { cost: Number(text.split("$")[2]) };
}
