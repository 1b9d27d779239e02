// Developers who have logged in. A browser keeps a random token, the store its hash, so that every gateway on the store
// knows it.

import { randomBytes } from "node:crypto";
import { hashKey } from "../../keys/key-hash.ts";
import type { CredentialScheme } from "../../rest/openapi.ts";
import type { Store, Writing } from "../../store/store.ts";
import { type DeveloperRecord, findDevelopers, withoutPasswords } from "../developers/developer-records.ts";
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
const tokenBytes = 32;
/** Seconds. */
const lifetime = 8 * 60 * 60;

/** Lets a developer in; gives the `Set-Cookie` that says so to the browser. */
export async function beginSession(
  store: Store,
  organisation: string,
  { id = "", password_updated: updated = "" }: Developer,
  isSecure: boolean,
): Promise<string> {
  const token = randomBytes(tokenBytes).toString("base64url");
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
        expires: new Date(now + lifetime * 1000).toISOString(),
      })
      .execute();
  });
  return cookieOf(token, lifetime, isSecure);
}

/** Forgets the session of a `Cookie` header; gives the `Set-Cookie` that has the browser forget it. */
export async function endSession(store: Store, cookies: string, isSecure: boolean): Promise<string> {
  const token = tokenOf(cookies);
  if (token !== undefined) {
    await store.transact((connection) =>
      connection.deleteFrom("portal_sessions").where("token_hash", "=", hashKey(token)).execute(),
    );
  }
  return cookieOf("", 0, isSecure);
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
 * Who a `Cookie` header is of; `undefined` where nobody has logged in, the session is over, or the developer was deleted, became
 * inactive or got another password since.
 */
export async function findSession(
  store: Store,
  organisation: string,
  cookies: string,
): Promise<DeveloperRecord | undefined> {
  const token = tokenOf(cookies);
  if (token === undefined) return undefined;
  return store.read(async (connection) => {
    const session = await connection
      .selectFrom("portal_sessions")
      .select(["developer_id", "password_updated"])
      .where("token_hash", "=", hashKey(token))
      .where("org_id", "=", organisation)
      .where("expires", ">", new Date().toISOString())
      .executeTakeFirst();
    if (session === undefined) return undefined;
    const { developer_id: id, password_updated: updated } = session;
    const developer = (await findDevelopers(connection, organisation, [id])).get(id);
    const isSame = developer?.inactive !== true && (developer?.password_updated ?? "") === updated;
    return developer === undefined || !isSame ? undefined : withoutPasswords(developer);
  });
}

/** Scripts cannot read it, and no other page has it sent along. */
function cookieOf(value: string, maxAge: number, isSecure: boolean): string {
  const parts = [`${cookie}=${value}`, "Path=/portal", `Max-Age=${maxAge}`, "HttpOnly", "SameSite=Strict"];
  return [...parts, ...(isSecure ? ["Secure"] : [])].join("; ");
}

function tokenOf(cookies: string): string | undefined {
  const pairs = cookies.split(";").map((pair) => pair.trim());
  const own = pairs.filter((pair) => pair.startsWith(`${cookie}=`));
  const [first, ...others] = own;
  // One for a narrower path could stand beside it; nobody can tell which of them is ours.
  return first === undefined || others.length > 0 ? undefined : first.slice(cookie.length + 1) || undefined;
}
