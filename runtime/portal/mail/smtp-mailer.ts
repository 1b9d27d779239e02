// E-mails by SMTP (RFC 5321), with nodemailer's connection and its writing of messages.

import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { scopedMetrics } from "../../component/gateway-scope.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { smtpAddress } from "../../generated/formats.ts";
import type { Letter, Mailer, MailerContext, MailerSource } from "./mailer.ts";

/** The `smtp` block of a portal. */
export interface SmtpOptions {
  /** `GW_SMTP_URL` wins. */
  readonly url?: string;
  /** Address of letters that say nothing of it. */
  readonly from: string;
}

interface Server {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise as soon as the server offers it. */
  readonly secure: boolean;
  /** Percent-decoded; empty without. */
  readonly user: string;
  readonly password: string;
}

/** Milliseconds for a connection, for the first word of the server, and between two of its words. */
const patience = {
  connectionTimeout: 10_000,
  dnsTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 10_000,
};

/** A mailer for the server at `GW_SMTP_URL`, or else at `url`; one connection for each letter. */
export function smtpMailer({ url, from }: SmtpOptions): MailerSource {
  return {
    configure(env) {
      const text = env.text("GW_SMTP_URL", url, smtpAddress);
      // Without a text the environment has noted that, and fails as a whole.
      const server = text === "" ? undefined : readServer(text);
      return {
        start: (context) =>
          createOutbox(context, async (letter, signal) => {
            if (server === undefined) throw new TypeError("a mailer without a server is not started");
            const sender = letter.from === "" ? from : letter.from;
            await deliver(server, { ...letter, from: sender }, signal);
          }),
      };
    },
  };
}

function readServer(text: string): Server {
  const { protocol, hostname, port, username, password } = new URL(text);
  const secure = protocol === "smtps:";
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}

/** Resolves when the server has taken the letter. */
async function deliver(server: Server, letter: Letter, signal: AbortSignal): Promise<void> {
  const message = await write(letter);
  const { host, port, secure, user, password } = server;
  // A password is never sent as it is, but to this machine.
  const requireTLS = !secure && user !== "" && !isLoopback(host);
  const connection = new SMTPConnection({ host, port, secure, requireTLS, ...patience });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = () => reject(new DOMException("the gateway closes", "AbortError"));
  signal.addEventListener("abort", abort);
  connection.on("error", reject);
  const send = () =>
    connection.send({ from: letter.from, to: letter.to, size: message.length }, message, (error) => {
      if (error) return reject(error);
      // Taken: what follows changes nothing any more.
      connection.on("error", () => resolve());
      connection.on("end", () => resolve());
      connection.quit();
    });
  connection.connect((error) => {
    if (error) return reject(error);
    if (user === "") return send();
    connection.login({ user, pass: password }, (refused) => (refused ? reject(refused) : send()));
  });
  try {
    await promise;
  } finally {
    signal.removeEventListener("abort", abort);
    connection.close();
  }
}

/** The message with its headers. Names and addresses are given apart, so that no text can be taken for several. */
function write({ fromName, from, to, subject, text }: Letter): Promise<Buffer> {
  return new MailComposer({
    from: { name: fromName, address: from },
    to: { name: "", address: to },
    subject,
    text,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

const mostAtOnce = 2;
const mostWaiting = 1000;
/** Milliseconds that letters under way have when the gateway closes. */
const grace = 5_000;

/**
 * Sends letters by `deliver`, which rejects where that fails, or when its signal is aborted. There is one attempt: the
 * server that takes a letter is what tries again.
 */
function createOutbox(
  { log, gateway }: MailerContext,
  deliver: (letter: Letter, signal: AbortSignal) => Promise<void>,
): Mailer {
  const inFlight = new Semaphore(mostAtOnce);
  const ending = new AbortController();
  let isClosing = false;

  function count(name: string, help: string): void {
    gateway.get(scopedMetrics).find(name, "counter", { help })?.record([], 1);
  }

  function fail({ kind }: Letter, reason: string): void {
    log.warn("e-mail not sent", { mail: kind, reason });
    count("sluice_portal_mails_failed_total", "E-mails that were not sent");
  }

  async function work(letter: Letter): Promise<void> {
    if (isClosing) return fail(letter, "the gateway closes");
    try {
      await deliver(letter, ending.signal);
      count("sluice_portal_mails_sent_total", "E-mails that a server has taken");
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
