// E-mails by SMTP (RFC 5321), with nodemailer's connection and its writing of messages.

import { domainToASCII } from "node:url";
import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { smtpAddress } from "../../generated/formats.ts";
import { mailOperations } from "../operations/mails.ts";
import type { MailerSource } from "./mailing.ts";
import { createOutbox, type DeliveryFault, type NumberedLetter, type OutboxSettings } from "./outbox.ts";

/** The `smtp` block of a portal. */
export interface SmtpOptions extends Partial<OutboxSettings> {
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

const usual: OutboxSettings = {
  retry_period: 5_000,
  max_retry_backoff: 15 * 60_000,
  retry_for: 24 * 3_600_000,
};

/** A mailer for the server at `GW_SMTP_URL`, or else at `url`; one connection for each letter. */
export function smtpMailer({ url, from, ...settings }: SmtpOptions): MailerSource {
  return {
    operations: mailOperations,
    configure(env) {
      const text = env.text("GW_SMTP_URL", url, smtpAddress);
      // Without a text the environment has noted that, and fails as a whole.
      const server = text === "" ? undefined : readServer(text);
      return {
        start: (context) =>
          createOutbox(context, { ...usual, ...settings }, async (letter, signal) => {
            if (server === undefined) throw new TypeError("a mailer without a server is not started");
            const sender = letter.from === "" ? from : letter.from;
            try {
              await deliver(server, { ...letter, from: sender }, signal);
              return undefined;
            } catch (error) {
              return faultOf(error);
            }
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
async function deliver(server: Server, letter: NumberedLetter, signal: AbortSignal): Promise<void> {
  const message = await write(letter);
  const { host, port, secure, user, password } = server;
  // A password is never sent as it is, but to this machine.
  const requireTLS = !secure && user !== "" && !isLoopback(host);
  const connection = new SMTPConnection({ host, port, secure, requireTLS, ...patience });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = () => reject(signal.reason);
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
function write({ id, fromName, from, to, subject, text }: NumberedLetter): Promise<Buffer> {
  const domain = domainToASCII(from.slice(from.indexOf("@") + 1));
  return new MailComposer({
    // The same for every attempt, so that a letter whose answer was lost can be recognised.
    ...(domain !== "" && { messageId: `<${id}@${domain}>` }),
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

/** The public part of a failure, and whether another attempt could succeed. */
function faultOf(error: unknown): DeliveryFault {
  const { command, responseCode } = Object(error);
  const isAboutLetter = typeof command === "string" && /^(?:RCPT|DATA)/.test(command);
  // Replies 5yz are final (RFC 5321, section 4.2.1); those to other commands are about the sender's settings.
  return { reason: reasonOf(error), isFinal: isAboutLetter && responseCode >= 500 };
}

/** Codes only: what servers say may hold addresses. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const code = "code" in error ? String(error.code) : error.name;
  return "responseCode" in error && typeof error.responseCode === "number"
    ? `${code} (${error.responseCode})`
    : code;
}
