// E-mails in the store, each of which is sent by the gateway that has the lease on it.

import type { Store, Writing } from "../../store/store.ts";
import type { QueueLease } from "../leased-queues.ts";

/** An e-mail to be put into the store. */
export interface NewMail {
  readonly id: string;
  readonly organisation: string;
  readonly kind: string;
  readonly recipient: string;
  /** Sealed. */
  readonly letter: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** E-mails that may wait at once: more come from no work of people. */
const mostWaiting = 10_000;

/** Puts an e-mail into the store; gives `false` where too many wait. */
export async function insertMail(connection: Writing, mail: NewMail): Promise<boolean> {
  const { count } = await connection
    .selectFrom("portal_mails")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("given_up", "=", 0)
    .executeTakeFirstOrThrow();
  if (count >= mostWaiting) return false;
  const { id, organisation, kind, recipient, letter, expires } = mail;
  await connection
    .insertInto("portal_mails")
    .values({
      ...{ id, org_id: organisation, kind, recipient, letter, expires },
      date_created: new Date().toISOString(),
      ...{ given_up: 0, attempts: 0, last_failure: null, due: 0, lease_holder: null, lease_until: 0 },
    })
    .execute();
  return true;
}

/** Takes leases on e-mails that are due and not being sent, at most so many, those due the longest first. */
export async function takeMails(store: Store, lease: QueueLease, most: number): Promise<readonly string[]> {
  const found = await store.read((connection) =>
    connection
      .selectFrom("portal_mails")
      .select("id")
      .where("given_up", "=", 0)
      .where("due", "<=", lease.now)
      .where("lease_until", "<=", lease.now)
      .orderBy("due")
      .orderBy("id")
      .limit(most)
      .execute(),
  );
  const taken: string[] = [];
  for (const { id } of found) {
    const { numUpdatedRows } = await store.read((connection) =>
      connection
        .updateTable("portal_mails")
        .set({ lease_holder: lease.holder, lease_until: lease.until })
        .where("id", "=", id)
        .where("given_up", "=", 0)
        .where("lease_until", "<=", lease.now)
        .executeTakeFirst(),
    );
    if (numUpdatedRows > 0n) taken.push(id);
  }
  return taken;
}

/** An e-mail whose lease was taken. */
export interface TakenMail {
  readonly kind: string;
  /** Sealed. */
  readonly letter: string;
  readonly expires: number;
  readonly attempts: number;
}

/** An e-mail that is to be sent; `undefined` where it was deleted meanwhile. */
export async function findMail(store: Store, id: string): Promise<TakenMail | undefined> {
  return store.read((connection) =>
    connection
      .selectFrom("portal_mails")
      .select(["kind", "letter", "expires", "attempts"])
      .where("id", "=", id)
      .where("given_up", "=", 0)
      .executeTakeFirst(),
  );
}

/** Deletes an e-mail that a server has taken. */
export async function deleteSent(store: Store, id: string): Promise<void> {
  await store.read((connection) => connection.deleteFrom("portal_mails").where("id", "=", id).execute());
}

/** Gives a lease back, as if nothing had been tried. */
export async function releaseMail(store: Store, id: string, holder: string): Promise<void> {
  await store.read((connection) =>
    connection
      .updateTable("portal_mails")
      .set({ lease_holder: null, lease_until: 0 })
      .where("id", "=", id)
      .where("lease_holder", "=", holder)
      .execute(),
  );
}

/** Notes a failed attempt: the next one is at `due`; without it the e-mail is given up, and what it says forgotten. */
export async function noteFailure(
  store: Store,
  id: string,
  { holder, reason, due }: { readonly holder: string; readonly reason: string; readonly due?: number },
): Promise<void> {
  await store.read((connection) =>
    connection
      .updateTable("portal_mails")
      .set(({ eb }) => ({
        attempts: eb("attempts", "+", 1),
        last_failure: reason,
        lease_holder: null,
        lease_until: 0,
        ...(due === undefined ? { given_up: 1 as const, letter: "" } : { due }),
      }))
      .where("id", "=", id)
      .where("lease_holder", "=", holder)
      .execute(),
  );
}

/** Deletes e-mails that were made before that time (ISO 8601) and given up. */
export async function deleteGivenUp(store: Store, before: string): Promise<void> {
  await store.read((connection) =>
    connection
      .deleteFrom("portal_mails")
      .where("given_up", "=", 1)
      .where("date_created", "<", before)
      .execute(),
  );
}
