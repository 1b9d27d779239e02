// Sends the e-mails queued in the store, each by the gateway that holds its lease, and retries failed ones.

import { scopedMetrics } from "../../component/gateway-scope.ts";
import { backoffDelay } from "../../concurrency/backoff.ts";
import { createIdentifier } from "../../store/identifiers.ts";
import type { Store, StoreTransaction } from "../../store/store.ts";
import { textIn } from "../languages/languages.ts";
import { type QueueLease, type QueueTurn, serveQueues } from "../leased-queues.ts";
import type { Letter, Mailer, MailerContext } from "./mailer.ts";

/** An e-mail to add to the store. */
interface NewMail {
  readonly id: string;
  readonly organisation: string;
  readonly kind: string;
  readonly recipient: string;
  /** The encrypted e-mail. */
  readonly letter: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** The maximum number of queued e-mails: human activity does not cause more. */
const mostWaiting = 10_000;

/** Adds an e-mail to the store. Returns `false` if too many are queued. */
async function insertMail(connection: StoreTransaction, mail: NewMail): Promise<boolean> {
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

/** Takes leases on due e-mails that are not being sent, at most `most`, the longest due first. */
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
  /** The encrypted e-mail. */
  readonly letter: string;
  readonly expires: number;
  readonly attempts: number;
}

/** Returns an e-mail to be sent; `undefined` if it was deleted in the meantime. */
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

/** Deletes an e-mail that a server has accepted. */
async function deleteSent(store: Store, id: string): Promise<void> {
  await store.read((connection) => connection.deleteFrom("portal_mails").where("id", "=", id).execute());
}

/** Releases a lease as if no attempt was made. */
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

/** Records a failed attempt. The next one is at `due`; without `due` the e-mail is given up and its content deleted. */
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

/** Deletes given-up e-mails created before a time (ISO 8601). */
async function deleteGivenUp(store: Store, before: string): Promise<void> {
  await store.read((connection) =>
    connection
      .deleteFrom("portal_mails")
      .where("given_up", "=", 1)
      .where("date_created", "<", before)
      .execute(),
  );
}

/** Retry settings of an outbox, in milliseconds. */
export interface OutboxSettings {
  /** The pause after the first failed attempt. Each further failure doubles it. */
  readonly retry_period: number;
  readonly max_retry_backoff: number;
  /** The time after which an e-mail is given up. */
  readonly retry_for: number;
}

/** An e-mail with an id that is the same for every attempt to send it. */
export interface NumberedLetter extends Letter {
  readonly id: string;
}

/** A failed attempt. Contains no texts of servers, because they may contain addresses. */
export interface DeliveryFault {
  readonly reason: string;
  /** Whether the server will never accept the e-mail. */
  readonly isFinal: boolean;
}

/** Sends an e-mail to a server. Resolves with a fault if the server does not accept it, or if `signal` is aborted. */
export type DeliverLetter = (
  letter: NumberedLetter,
  signal: AbortSignal,
) => Promise<DeliveryFault | undefined>;

const mostAtOnce = 2;
/** The maximum duration of an attempt, in milliseconds. */
const attemptTime = 60_000;
/** Milliseconds between two polls for e-mails that other gateways added or left behind. */
const lookEvery = 1_000;
/** Milliseconds that a given-up e-mail stays listed. */
const kept = 14 * 24 * 3_600_000;

/** Returns a mailer that sends the e-mails in the store with `deliver`. */
export function createOutbox(
  { log, gateway, store, languages, sealing }: MailerContext,
  settings: OutboxSettings,
  deliver: DeliverLetter,
): Mailer {
  function count(name: string, help: string): void {
    gateway.get(scopedMetrics).find(name, "counter", { help })?.record([], 1);
  }

  function logGivenUp(id: string, kind: string, reason: string): void {
    log.warn("e-mail given up", { mail: kind, id, reason });
    count("sluice_portal_mails_failed_total", "E-mails that were not sent and are no longer retried");
  }

  async function serve(id: string, turn: QueueTurn): Promise<void> {
    const mail = await findMail(store, id);
    if (mail === undefined) return;
    const { holder, now } = await turn.lease();
    if (turn.stopping.aborted) return releaseMail(store, id, holder);
    const fault = await attempt(id, mail, now, turn.cutting);
    if (fault === undefined) {
      await deleteSent(store, id);
      return count("sluice_portal_mails_sent_total", "E-mails that a server has accepted");
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
      return logGivenUp(id, mail.kind, reason);
    }
    await noteFailure(store, id, { holder, reason, due });
    count("sluice_portal_mail_retries_total", "Retried attempts to send an e-mail");
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
      // Omit the error: its message is about webhooks. A retry cannot help, because the key will not come back.
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
      if (!isTaken) logGivenUp(id, kind, "too many e-mails wait");
    },
    textOf: (language, name) => textIn(languages, language || languages.usual, name),
    wake: queues.wake,
    close: queues.close,
  };
}
