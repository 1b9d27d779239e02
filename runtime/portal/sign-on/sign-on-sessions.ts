// Who was signed in by the provider, in the store.

import { hashKey } from "../../keys/key-hash.ts";
import { createToken } from "../../oauth/tokens.ts";
import { refusal, refuseDuplicate } from "../../rest/answers.ts";
import { subjectKey } from "../../sign-on/host.ts";
import { beganBefore, type EndedByProvider } from "../../sign-on/provider.ts";
import type { Store } from "../../store/store.ts";
import type { SignOnTable } from "../../store/tables.ts";

/** A session as it begins. */
export interface SignOnRecord extends Omit<SignOnTable, "token_hash" | "expires"> {
  /** Milliseconds. */
  readonly lifetime: number;
}

/**
 * Begins a session and gives its token, or the one that stands for a session of its own already. Rejects with a refusal where the
 * state has begun one before.
 */
export async function keepSignOn(
  store: Store,
  { lifetime, ...record }: SignOnRecord,
  token = createToken(),
): Promise<string> {
  const now = Date.now();
  const expires = new Date(now + lifetime).toISOString();
  await refuseDuplicate("This sign-in was used already.", () =>
    store.transact(async (connection) => {
      await connection
        .deleteFrom("portal_sign_ons")
        .where("expires", "<=", new Date(now).toISOString())
        .execute();
      await connection
        .insertInto("portal_sign_ons")
        .values({ ...record, token_hash: hashKey(token), expires })
        .execute();
    }),
  );
  return token;
}

/** The session of a token, which began by the same rules. */
export function findSignOn(
  store: Store,
  token: string,
  rulesHash: string,
): Promise<Omit<SignOnTable, "state_hash"> | undefined> {
  return store.read((connection) =>
    connection
      .selectFrom("portal_sign_ons")
      .selectAll()
      .where("token_hash", "=", hashKey(token))
      .where("rules_hash", "=", rulesHash)
      .where("expires", ">", new Date().toISOString())
      .executeTakeFirst(),
  );
}

/** Ends the sessions of tokens; gives the newest of their ID tokens. */
export async function dropSignOns(store: Store, tokens: readonly string[]): Promise<string | undefined> {
  if (tokens.length === 0) return undefined;
  return store.transact(async (connection) => {
    const hashes = tokens.map(hashKey);
    const own = await connection
      .selectFrom("portal_sign_ons")
      .select("id_token")
      .where("token_hash", "in", hashes)
      .orderBy("expires", "desc")
      .execute();
    await connection.deleteFrom("portal_sign_ons").where("token_hash", "in", hashes).execute();
    await connection.deleteFrom("portal_sessions").where("token_hash", "in", hashes).execute();
    return own[0]?.id_token;
  });
}

/** Ends the sessions that a provider has ended. */
export async function dropEnded(store: Store, issuer: string, ended: EndedByProvider): Promise<void> {
  const { sub, sid } = ended;
  if (sub === undefined && sid === undefined) throw refusal(400, "Nothing says which session is over.");
  await store.transact(async (connection) => {
    const prefix = subjectKey({ iss: issuer, sub: "" });
    const all = await connection
      .selectFrom("portal_sign_ons")
      .select(["token_hash", "subject", "id_token"])
      .$if(sub !== undefined, (query) => query.where("subject", "=", `${prefix}${sub}`))
      .$if(sid !== undefined, (query) => query.where("provider_session", "=", sid ?? ""))
      .execute();
    const over = all
      .filter(({ subject, id_token }) => subject.startsWith(prefix) && beganBefore(ended, id_token))
      .map((each) => each.token_hash);
    if (over.length === 0) return;
    await connection.deleteFrom("portal_sign_ons").where("token_hash", "in", over).execute();
    await connection.deleteFrom("portal_sessions").where("token_hash", "in", over).execute();
  });
}
