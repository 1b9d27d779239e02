// Links in e-mails: a random token that is good for one use, of which the store keeps the hash.

import { hashKey } from "../../keys/key-hash.ts";
import { createToken } from "../../oauth/tokens.ts";
import { refusal } from "../../rest/answers.ts";
import type { StoreConnection, Writing } from "../../store/store.ts";
import type { LinkTable } from "../../store/tables.ts";

/** What a link is for. */
export type LinkKind = LinkTable["kind"];

/** Whose link it is, and what for. */
export interface LinkOwner {
  readonly organisation: string;
  readonly kind: LinkKind;
  /** Address that it is sent to. */
  readonly email: string;
}

/** A link that is still good. */
export interface GoodLink<T> {
  /** In lower case. */
  readonly email: string;
  readonly record: T;
}

/** Links of one kind and address that are good at once; beyond that no further e-mail is sent. */
const mostAtOnce = 3;

/**
 * Makes a link that is good for `lifetime` milliseconds, and gives its token. `undefined` where the address has as many as it
 * may have.
 */
export async function makeLink(
  connection: Writing,
  { organisation, kind, email }: LinkOwner,
  record: object,
  lifetime: number,
): Promise<string | undefined> {
  const now = Date.now();
  const address = email.toLowerCase();
  await connection.deleteFrom("portal_links").where("expires", "<=", new Date(now).toISOString()).execute();
  const { count } = await connection
    .selectFrom("portal_links")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("org_id", "=", organisation)
    .where("kind", "=", kind)
    .where("email", "=", address)
    .executeTakeFirstOrThrow();
  if (count >= mostAtOnce) return undefined;
  const token = createToken();
  await connection
    .insertInto("portal_links")
    .values({
      ...{ token_hash: hashKey(token), org_id: organisation, kind, email: address },
      record: JSON.stringify(record),
      expires: new Date(now + lifetime).toISOString(),
    })
    .execute();
  return token;
}

/** What a link is good for; rejects with 400 where it is not good, or not any more. */
export async function findLink<T>(
  connection: StoreConnection,
  { organisation, kind }: Pick<LinkOwner, "organisation" | "kind">,
  token: string,
): Promise<GoodLink<T>> {
  const row = await connection
    .selectFrom("portal_links")
    .select(["email", "record"])
    .where("token_hash", "=", hashKey(token))
    .where("org_id", "=", organisation)
    .where("kind", "=", kind)
    .where("expires", ">", new Date().toISOString())
    .executeTakeFirst();
  if (row === undefined) throw staleLink();
  return { email: row.email, record: JSON.parse(row.record) };
}

/** Uses a link up, with all others of its kind and address. Of several uses at once one succeeds, the others are 400. */
export async function spendLink(
  connection: Writing,
  { organisation, kind, email }: LinkOwner,
  token: string,
): Promise<void> {
  const { numDeletedRows } = await connection
    .deleteFrom("portal_links")
    .where("token_hash", "=", hashKey(token))
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw staleLink();
  await connection
    .deleteFrom("portal_links")
    .where("org_id", "=", organisation)
    .where("kind", "=", kind)
    .where("email", "=", email.toLowerCase())
    .execute();
}

/** The refusal of a link that is of no use. */
export function staleLink() {
  return refusal(400, "This link was used already, or is too old. Ask for another one.");
}
