// Verifies and changes the passwords of developers.

import { GatewayError } from "../../errors.ts";
import { passwordTest } from "../../keys/passwords.ts";
import { notFound, refusal } from "../../rest/answers.ts";
import type { RestCaller } from "../../rest/operation.ts";
import type { Store, StoreTransaction } from "../../store/store.ts";
import type { Developer } from "../generated/developer.ts";
import type { PortalServices } from "../operation.ts";
import { lockDeveloper, withoutPasswords, writeDeveloper } from "./developer-records.ts";
import { changedMeanwhile, type DeveloperContext, findDeveloper, reusedPassword } from "./developers.ts";
import { findFaults, isReused, keepPassword, readBcrypt } from "./new-passwords.ts";
import type { DeveloperRecord } from "./owner-records.ts";

const dayInMilliseconds = 86_400_000;

/** The result of a login. `expired`: the password is right, but so old that it has to be changed first. */
export type Login =
  | { readonly outcome: "verified"; readonly developer: Developer }
  | { readonly outcome: "expired"; readonly developer: Developer }
  | { readonly outcome: "refused" };

/**
 * Verifies the password of an e-mail address. Takes equally long for an unknown address and reveals nothing about an
 * account unless the password is right. Rejects with 429 after too many wrong passwords, and with 503 while too many
 * passwords are waiting to be verified.
 */
export async function verifyCredentials(
  { store, passwords, logins }: Pick<PortalServices, "store" | "passwords" | "logins">,
  { organisation, address = "" }: Pick<RestCaller, "organisation" | "address">,
  { username, password }: { readonly username: string; readonly password: string },
): Promise<Login> {
  const attempt = logins.begin(JSON.stringify([organisation, username.toLowerCase()]), address);
  if (typeof attempt === "number")
    throw new GatewayError(429, "Too many attempts.", { retryAfter: attempt, reason: "too_many_logins" });
  const services = { store, passwords: passwords.of(attempt) };
  const { developer, isRight } = await verify(services, organisation, username, password).catch(
    (error: unknown) => {
      attempt.unverified();
      throw error;
    },
  );
  if (developer === undefined || !isRight) return { outcome: "refused" };
  attempt.right();
  if (developer.inactive === true) return { outcome: "refused" };
  if (isTooOld(developer)) return { outcome: "expired", developer: withoutPasswords(developer) };
  // The password is known now, so its bcrypt hash can be replaced.
  const better =
    readBcrypt(developer.password ?? "") === undefined ? undefined : await passwords.hash(password);
  if (better instanceof GatewayError) throw better;
  return noteLogin(store, organisation, developer, better);
}

/**
 * Returns the developer with that address and whether the password is right. Rejects if this cannot be determined now.
 */
async function verify(
  { store, passwords }: Pick<PortalServices, "store" | "passwords">,
  organisation: string,
  username: string,
  password: string,
): Promise<{ readonly developer: DeveloperRecord | undefined; readonly isRight: boolean }> {
  const developer = await store.read((connection) =>
    findDeveloper(connection, organisation, "email", username),
  );
  const test = developer?.password === undefined ? undefined : passwordTest(developer.password);
  const isRight = await passwords.verify(password, test);
  if (isRight instanceof GatewayError) throw isRight;
  return { developer, isRight };
}

/** Records the login. Refuses it if the developer was changed, disabled or deleted in the meantime. */
async function noteLogin(
  store: Store,
  organisation: string,
  { id, password }: DeveloperRecord,
  better: string | undefined,
): Promise<Login> {
  return store.transact(async (connection): Promise<Login> => {
    const developer = await lockDeveloper(connection, organisation, id);
    if (developer === undefined || developer.inactive === true || developer.password !== password)
      return { outcome: "refused" };
    const seen = {
      ...developer,
      last_login_date: new Date().toISOString(),
      ...(better !== undefined && { password: better }),
    };
    await writeDeveloper(connection, seen);
    return { outcome: "verified", developer: withoutPasswords(seen) };
  });
}

/**
 * Sets the password of a developer and calls `also` in the same transaction. Rejects with `notFound`, and with 400 if
 * the password is not acceptable or was used before.
 */
export async function changePassword(
  { store, passwords }: DeveloperContext,
  organisation: string,
  id: string,
  password: string,
  also: (connection: StoreTransaction, developer: Developer) => Promise<void> = async () => {},
): Promise<void> {
  const known = await store.read((connection) => findDeveloper(connection, organisation, "id", id));
  if (known === undefined) throw notFound();
  const faults = findFaults(password, known);
  const isOld = faults.length === 0 && (await isReused(passwords, password, known));
  if (faults.length > 0 || isOld) {
    throw refusal(400, "Developer password validation failed.", isOld ? [reusedPassword] : faults);
  }
  const fresh = await keepPassword(passwords, password, known);
  await store.transact(async (connection) => {
    const developer = await lockDeveloper(connection, organisation, id);
    if (developer === undefined) throw notFound();
    if (developer.password !== known.password) throw changedMeanwhile();
    await writeDeveloper(connection, { ...developer, ...fresh });
    await also(connection, developer);
  });
}

function isTooOld({ password_max_days: days = 0, password_updated: updated = "" }: DeveloperRecord): boolean {
  return days > 0 && Date.now() - Date.parse(updated) > days * dayInMilliseconds;
}
