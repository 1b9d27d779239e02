// Sessions of people who signed in at a provider, in the store.

import { hashKey } from "../../runtime/keys/key-hash.ts";
import { createToken } from "../../runtime/oauth/tokens.ts";
import { refusal, refuseDuplicate } from "../../runtime/rest/answers.ts";
import { subjectKey } from "../../runtime/sign-on/host.ts";
import { beganBefore, type EndedByProvider } from "../../runtime/sign-on/provider.ts";
import type { ManagementStore, UserSessionTable } from "../store/tables.ts";

/** The data of a new session. */
export interface BeginningSession extends Omit<UserSessionTable, "token_hash" | "expires"> {
  /** The duration in milliseconds. */
  readonly lifetime: number;
}

/** Stores a session and returns its token. Rejects with a refusal if the same state has already started a session. */
export async function keepSession(
  store: ManagementStore,
  { lifetime, ...record }: BeginningSession,
): Promise<string> {
  const token = createToken();
  const now = Date.now();
  const row = { ...record, token_hash: hashKey(token), expires: new Date(now + lifetime).toISOString() };
  await refuseDuplicate("This sign-in has already been used.", () =>
    store.transact(async (connection) => {
      await connection
        .deleteFrom("management_sessions")
        .where("expires", "<=", new Date(now).toISOString())
        .execute();
      await connection.insertInto("management_sessions").values(row).execute();
    }),
  );
  return token;
}

/** Returns the session of a token, unless the rules have changed since it started. */
export function findKeptSession(
  store: ManagementStore,
  token: string,
  rulesHash: string,
): Promise<UserSessionTable | undefined> {
  return store.read((connection) =>
    connection
      .selectFrom("management_sessions")
      .selectAll()
      .where("token_hash", "=", hashKey(token))
      .where("rules_hash", "=", rulesHash)
      .where("expires", ">", new Date().toISOString())
      .executeTakeFirst(),
  );
}

/** Ends the session of a token and returns the ID token that it started with. */
export function dropSession(store: ManagementStore, token: string): Promise<string | undefined> {
  return store.transact(async (connection) => {
    const row = await connection
      .deleteFrom("management_sessions")
      .where("token_hash", "=", hashKey(token))
      .returning("id_token")
      .executeTakeFirst();
    return row?.id_token;
  });
}

/** Ends the sessions that a provider has ended. */
export async function dropEndedSessions(
  store: ManagementStore,
  issuer: string,
  ended: EndedByProvider,
): Promise<void> {
  const { sub, sid } = ended;
  if (sub === undefined && sid === undefined) throw refusal(400, "The logout request names no session.");
  // Subjects begin with the issuer, and only one issuer is configured at a time.
  await store.transact(async (connection) => {
    const all = await connection
      .selectFrom("management_sessions")
      .select(["token_hash", "id_token"])
      .$if(sub !== undefined, (query) =>
        query.where("subject", "=", subjectKey({ iss: issuer, sub: sub ?? "" })),
      )
      .$if(sid !== undefined, (query) => query.where("provider_session", "=", sid ?? ""))
      .execute();
    const over = all.filter(({ id_token }) => beganBefore(ended, id_token)).map((each) => each.token_hash);
    if (over.length === 0) return;
    await connection.deleteFrom("management_sessions").where("token_hash", "in", over).execute();
  });
}
