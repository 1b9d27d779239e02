// E-mails that wait to be sent: some at once, not too many, and none after the end.

import { scopedMetrics } from "../../component/gateway-scope.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import type { Letter, Mailer, MailerContext } from "./mailer.ts";

const mostAtOnce = 2;
const mostWaiting = 1000;
/** Milliseconds that letters under way have when the gateway closes. */
const grace = 5_000;

/**
 * Sends letters by `deliver`, which rejects where that fails, or when its signal is aborted. There is one attempt: the
 * server that takes a letter is what tries again.
 */
export function createOutbox(
  { log, gateway }: MailerContext,
  deliver: (letter: Letter, signal: AbortSignal) => Promise<void>,
): Mailer {
  const inFlight = new Semaphore(mostAtOnce);
  const ending = new AbortController();
  let isClosing = false;

  function fail({ kind }: Letter, reason: string): void {
    log.warn("an e-mail was not sent", { mail: kind, reason });
    gateway.get(scopedMetrics).find("sluice_portal_mails_failed", "counter")?.record([], 1);
  }

  async function work(letter: Letter): Promise<void> {
    if (isClosing) return fail(letter, "the gateway closes");
    try {
      await deliver(letter, ending.signal);
      gateway.get(scopedMetrics).find("sluice_portal_mails_sent", "counter")?.record([], 1);
    } catch (error) {
      fail(letter, reasonOf(error));
    }
  }

  return {
    send(letter) {
      if (isClosing || inFlight.waiting >= mostWaiting)
        return fail(letter, "too many wait, or the gateway closes");
      void inFlight.use(() => work(letter)); // it never rejects
    },
    async close() {
      isClosing = true;
      const timer = setTimeout(() => ending.abort(), grace);
      await inFlight.idle();
      clearTimeout(timer);
    },
  };
}

/** Codes only: what servers say may hold addresses. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const code = "code" in error ? String(error.code) : error.name;
  return "responseCode" in error && typeof error.responseCode === "number"
    ? `${code} (${error.responseCode})`
    : code;
}
