// Developers who have logged in. A browser keeps a random token, the store its hash, so that every gateway on the store
// knows it.

import { readCookie, writeCookie } from "../../http/cookies.ts";
import { hashKey } from "../../keys/key-hash.ts";
import { createToken } from "../../oauth/tokens.ts";
import type { CredentialScheme } from "../../rest/openapi.ts";
import type { Store, Writing } from "../../store/store.ts";
import { findDevelopers, withoutPasswords } from "../developers/developer-records.ts";
import type { DeveloperRecord } from "../developers/owner-records.ts";
import type { Developer } from "../generated/developer.ts";

/** What the cookie is called. */
const cookie = "portal_session";

/** The cookie as the description of the interface has it. */
export const sessionScheme: CredentialScheme = {
  type: "apiKey",
  in: "cookie",
  name: cookie,
  description: "The session of a developer, which logging in begins.",
};
/** Seconds. */
const lifetime = 8 * 60 * 60;

/** Lets a developer in; gives the `Set-Cookie` that says so to the browser. */
export async function beginSession(
  store: Store,
  organisation: string,
  developer: Developer,
  isSecure: boolean,
): Promise<string> {
  const token = await openSession(store, organisation, developer, lifetime);
  return sessionCookie(token, lifetime, isSecure);
}

/** The same for that many seconds; gives the token that the browser is to have. */
export async function openSession(
  store: Store,
  organisation: string,
  { id = "", password_updated: updated = "" }: Developer,
  seconds: number,
): Promise<string> {
  const token = createToken();
  const now = Date.now();
  await store.transact(async (connection) => {
    await connection
      .deleteFrom("portal_sessions")
      .where("expires", "<=", new Date(now).toISOString())
      .execute();
    await connection
      .insertInto("portal_sessions")
      .values({
        token_hash: hashKey(token),
        org_id: organisation,
        developer_id: id,
        password_updated: updated,
        expires: new Date(now + seconds * 1000).toISOString(),
      })
      .execute();
  });
  return token;
}

/** Forgets the session of a `Cookie` header; gives the `Set-Cookie` that has the browser forget it. */
export async function endSession(store: Store, cookies: string, isSecure: boolean): Promise<string> {
  const token = sessionToken(cookies);
  if (token !== undefined) {
    await store.transact((connection) =>
      connection.deleteFrom("portal_sessions").where("token_hash", "=", hashKey(token)).execute(),
    );
  }
  return sessionCookie("", 0, isSecure);
}

/** A developer who has logged in, and whose it is. */
export interface DeveloperSession {
  readonly organisation: string;
  readonly developer: DeveloperRecord;
}

/** Ends all sessions of a developer. */
export async function endSessionsOf(
  connection: Writing,
  organisation: string,
  developer: string,
): Promise<void> {
  await connection
    .deleteFrom("portal_sessions")
    .where("org_id", "=", organisation)
    .where("developer_id", "=", developer)
    .execute();
}

/**
 * Who a `Cookie` header is of; `undefined` where no one has logged in, the session is over, or the developer was deleted, became
 * inactive or got another password since.
 */
export async function findSession(store: Store, cookies: string): Promise<DeveloperSession | undefined> {
  const token = sessionToken(cookies);
  if (token === undefined) return undefined;
  return store.read(async (connection) => {
    const session = await connection
      .selectFrom("portal_sessions")
      .select(["org_id", "developer_id", "password_updated"])
      .where("token_hash", "=", hashKey(token))
      .where("expires", ">", new Date().toISOString())
      .executeTakeFirst();
    if (session === undefined) return undefined;
    const { org_id: organisation, developer_id: id, password_updated: updated } = session;
    const developer = (await findDevelopers(connection, organisation, [id])).get(id);
    const isSame = developer?.inactive !== true && (developer?.password_updated ?? "") === updated;
    return developer === undefined || !isSame
      ? undefined
      : { organisation, developer: withoutPasswords(developer) };
  });
}

/** No other page has it sent along. */
export function sessionCookie(value: string, maxAge: number, isSecure: boolean): string {
  return writeCookie(cookie, value, { path: "/portal", maxAge, sameSite: "Strict", isSecure });
}

/** The token of a session in a `Cookie` header. */
export function sessionToken(cookies: string): string | undefined {
  return readCookie(cookies, cookie);
}
