// Sessions of logged-in developers. The browser stores a random token and the store its hash, so that every gateway
// that uses the store recognises it.

import { readCookie, writeCookie } from "../../http/cookies.ts";
import { hashKey } from "../../keys/key-hash.ts";
import { createToken } from "../../oauth/tokens.ts";
import type { CredentialScheme } from "../../rest/openapi.ts";
import type { Store } from "../../store/store.ts";
import { findDevelopers, withoutPasswords } from "../developers/developer-records.ts";
import type { DeveloperRecord } from "../developers/owner-records.ts";
import type { Developer } from "../generated/developer.ts";

/** The name of the cookie. */
const cookie = "portal_session";

/** The description of the cookie in OpenAPI. */
export const sessionScheme: CredentialScheme = {
  type: "apiKey",
  in: "cookie",
  name: cookie,
  description: "The session of a developer, which logging in begins.",
};
/** Seconds. */
const lifetime = 8 * 60 * 60;

/** Starts a session for a developer and returns the `Set-Cookie` header for it. */
export async function beginSession(
  store: Store,
  organisation: string,
  developer: Developer,
  isSecure: boolean,
): Promise<string> {
  const token = await openSession(store, organisation, developer, lifetime);
  return sessionCookie(token, lifetime, isSecure);
}

/** Starts a session that lasts `seconds` and returns its token. */
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

/** Ends the session in a `Cookie` header and returns the `Set-Cookie` header that deletes the cookie. */
export async function endSession(store: Store, cookies: string, isSecure: boolean): Promise<string> {
  const token = sessionToken(cookies);
  if (token !== undefined) {
    await store.transact((connection) =>
      connection.deleteFrom("portal_sessions").where("token_hash", "=", hashKey(token)).execute(),
    );
  }
  return sessionCookie("", 0, isSecure);
}

/** A logged-in developer and its organisation. */
export interface DeveloperSession {
  readonly organisation: string;
  readonly developer: DeveloperRecord;
}

/**
 * Returns the session in a `Cookie` header; `undefined` if there is none, if it has expired, or if the developer has
 * been deleted or disabled or has got a new password since.
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

/** Returns the `Set-Cookie` header of a session. Browsers do not send the cookie with requests from other sites. */
export function sessionCookie(value: string, maxAge: number, isSecure: boolean): string {
  return writeCookie(cookie, value, { path: "/portal", maxAge, sameSite: "Strict", isSecure });
}

/** Returns the token of a session in a `Cookie` header. */
export function sessionToken(cookies: string): string | undefined {
  return readCookie(cookies, cookie);
}
