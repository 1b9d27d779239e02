// Sends the e-mails that wait in the store, each by the gateway that has the lease on it, and tries again where that fails.

import { scopedMetrics } from "../../component/gateway-scope.ts";
import { backoffDelay } from "../../concurrency/backoff.ts";
import { createIdentifier } from "../../store/identifiers.ts";
import type { Store, Writing } from "../../store/store.ts";
import { textIn } from "../languages/languages.ts";
import { type QueueLease, type QueueTurn, serveQueues } from "../leased-queues.ts";
import type { Letter, Mailer, MailerContext } from "./mailer.ts";

/** An e-mail to be put into the store. */
interface NewMail {
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
async function insertMail(connection: Writing, mail: NewMail): Promise<boolean> {
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
async function takeMails(store: Store, lease: QueueLease, most: number): Promise<readonly string[]> {
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
interface TakenMail {
  readonly kind: string;
  /** Sealed. */
  readonly letter: string;
  readonly expires: number;
  readonly attempts: number;
}

/** An e-mail that is to be sent; `undefined` where it was deleted meanwhile. */
async function findMail(store: Store, id: string): Promise<TakenMail | undefined> {
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
async function deleteSent(store: Store, id: string): Promise<void> {
  await store.read((connection) => connection.deleteFrom("portal_mails").where("id", "=", id).execute());
}

/** Gives a lease back, as if nothing had been tried. */
async function releaseMail(store: Store, id: string, holder: string): Promise<void> {
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
async function noteFailure(
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
async function deleteGivenUp(store: Store, before: string): Promise<void> {
  await store.read((connection) =>
    connection
      .deleteFrom("portal_mails")
      .where("given_up", "=", 1)
      .where("date_created", "<", before)
      .execute(),
  );
}

/** How an outbox tries; times in milliseconds. */
export interface OutboxSettings {
  /** Pause after the first failed attempt; each further one doubles it. */
  readonly retry_period: number;
  readonly max_retry_backoff: number;
  /** After this an e-mail is given up. */
  readonly retry_for: number;
}

/** A letter under the id that every attempt to send it has. */
export interface NumberedLetter extends Letter {
  readonly id: string;
}

/** An attempt that failed; texts of servers may hold addresses and are left out. */
export interface DeliveryFault {
  readonly reason: string;
  /** The server will never take it. */
  readonly isFinal: boolean;
}

/** Gives a letter to a server. Resolves with a fault where that does not take it, or `signal` is aborted. */
export type DeliverLetter = (
  letter: NumberedLetter,
  signal: AbortSignal,
) => Promise<DeliveryFault | undefined>;

const mostAtOnce = 2;
/** Milliseconds for one attempt. */
const attemptTime = 60_000;
/** How often the store is asked for what other gateways have put there, or left when they ended. */
const lookEvery = 1_000;
/** Milliseconds for which an e-mail that was given up is listed. */
const kept = 14 * 24 * 3_600_000;

/** A mailer that sends what waits in the store by `deliver`. */
export function createOutbox(
  { log, gateway, store, languages, sealing }: MailerContext,
  settings: OutboxSettings,
  deliver: DeliverLetter,
): Mailer {
  function count(name: string, help: string): void {
    gateway.get(scopedMetrics).find(name, "counter", { help })?.record([], 1);
  }

  function tellGivenUp(id: string, kind: string, reason: string): void {
    log.warn("e-mail given up", { mail: kind, id, reason });
    count("sluice_portal_mails_failed_total", "E-mails that were given up");
  }

  async function serve(id: string, turn: QueueTurn): Promise<void> {
    const mail = await findMail(store, id);
    if (mail === undefined) return;
    const { holder, now } = await turn.lease();
    if (turn.stopping.aborted) return releaseMail(store, id, holder);
    const fault = await attempt(id, mail, now, turn.cutting);
    if (fault === undefined) {
      await deleteSent(store, id);
      return count("sluice_portal_mails_sent_total", "E-mails that a server has taken");
    }
    if (turn.cutting.aborted) return releaseMail(store, id, holder);
    const delay = backoffDelay(mail.attempts, {
      first: settings.retry_period,
      longest: settings.max_retry_backoff,
    });
    const due = (await turn.lease()).now + Math.ceil(delay);
    const { reason } = fault;
    if (fault.isFinal || due > mail.expires) {
      await noteFailure(store, id, { holder, reason });
      return tellGivenUp(id, mail.kind, reason);
    }
    await noteFailure(store, id, { holder, reason, due });
    count("sluice_portal_mail_retries_total", "Attempts to send an e-mail that are made again");
    if (mail.attempts === 0) log.warn("e-mail not sent, trying again", { mail: mail.kind, id, reason });
    turn.lookAfter(delay);
  }

  async function attempt(
    id: string,
    { letter, expires }: TakenMail,
    now: number,
    cutting: AbortSignal,
  ): Promise<DeliveryFault | undefined> {
    if (now > expires) return { reason: "it has waited for too long", isFinal: true };
    let text: string;
    try {
      text = sealing.open(letter);
    } catch {
      // The message of the error is for webhooks; another key will not come back.
      return { reason: "it was encrypted with another key", isFinal: true };
    }
    const signal = AbortSignal.any([cutting, AbortSignal.timeout(attemptTime)]);
    return deliver({ ...JSON.parse(text), id }, signal);
  }

  const queues = serveQueues({
    name: "sending e-mails",
    ...{ store, log, mostAtOnce, attemptTime, lookEvery, serve },
    take: (lease, most) => takeMails(store, lease, most),
    sweep: () => deleteGivenUp(store, new Date(Date.now() - kept).toISOString()),
  });
  return {
    async post(connection, organisation, letter) {
      const id = createIdentifier();
      const { kind, to, validFor = Number.POSITIVE_INFINITY } = letter;
      const isTaken = await insertMail(connection, {
        ...{ id, organisation, kind },
        recipient: to.toLowerCase(),
        letter: sealing.seal(JSON.stringify(letter)),
        expires: Date.now() + Math.min(validFor, settings.retry_for),
      });
      if (!isTaken) tellGivenUp(id, kind, "too many e-mails wait");
    },
    textOf: (language, name) => textIn(languages, language || languages.usual, name),
    wake: queues.wake,
    close: queues.close,
  };
}
