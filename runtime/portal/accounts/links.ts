// Links in e-mails: a random token that can be used once. The store keeps only its hash.

import { hashKey } from "../../keys/key-hash.ts";
import { createToken } from "../../oauth/tokens.ts";
import { refusal } from "../../rest/answers.ts";
import type { StoreConnection, StoreTransaction } from "../../store/store.ts";
import type { LinkTable } from "../../store/tables.ts";

/** The purpose of a link. */
export type LinkKind = LinkTable["kind"];

/** The recipient and the purpose of a link. */
export interface LinkOwner {
  readonly organisation: string;
  readonly kind: LinkKind;
  /** The address that the link is sent to. */
  readonly email: string;
}

/** A valid link. */
export interface GoodLink<T> {
  /** In lower case. */
  readonly email: string;
  readonly record: T;
}

/** Valid links of one kind per address. When an address has this many, it gets no further e-mail. */
const mostAtOnce = 3;

/**
 * Creates a link that is valid for `lifetime` milliseconds and returns its token; `undefined` if the address already
 * has the maximum number of valid links.
 */
export async function makeLink(
  connection: StoreTransaction,
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

/** Returns the address and the record of a link. Rejects with 400 if the link is not valid or has expired. */
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

/**
 * Uses up a link and all others of its kind and address. Of concurrent uses one succeeds; the others reject with 400.
 */
export async function spendLink(
  connection: StoreTransaction,
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

/** Returns the error for a link that was used or has expired. */
export function staleLink() {
  return refusal(400, "This link has already been used or has expired. Request another one.");
}
