// Sends the e-mails that wait in the store, and tries again where that fails.

import { scopedMetrics } from "../../component/gateway-scope.ts";
import { backoffDelay } from "../../concurrency/backoff.ts";
import { createIdentifier } from "../../store/identifiers.ts";
import { textIn } from "../languages/languages.ts";
import { type QueueTurn, serveQueues } from "../leased-queues.ts";
import {
  deleteGivenUp,
  deleteSent,
  findMail,
  insertMail,
  noteFailure,
  releaseMail,
  type TakenMail,
  takeMails,
} from "./mail-queue.ts";
import type { Letter, Mailer, MailerContext } from "./mailer.ts";

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
