// Sends e-mails by SMTP (RFC 5321), with nodemailer's connection and message composer.

import { domainToASCII } from "node:url";
import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { smtpAddress } from "../../generated/formats.ts";
import { percentDecode } from "../../text/percent.ts";
import type { PortalOperation } from "../operation.ts";
import { mailOperations } from "../operations/mails.ts";
import type { ConfigureMailer } from "./mailer.ts";
import { createOutbox, type DeliveryFault, type NumberedLetter, type OutboxSettings } from "./outbox.ts";

/** A mailer that opens nothing before it is started, as emitted code references it. */
export interface MailerSource {
  readonly configure: ConfigureMailer;
  /** The operations of the portal on e-mails. */
  readonly operations: readonly PortalOperation[];
}

/** The `smtp` block of a portal. */
export interface SmtpOptions extends Partial<OutboxSettings> {
  /** The address of the server; `GW_SMTP_URL` takes precedence. */
  readonly url?: string;
  /** The sender's address for e-mails that do not specify one. */
  readonly from: string;
}

interface Server {
  readonly host: string;
  readonly port: number;
  /** Whether to use TLS from the first byte; otherwise TLS starts as soon as the server offers it. */
  readonly secure: boolean;
  /** Percent-decoded; empty if the URL has no user. */
  readonly user: string;
  readonly password: string;
}

/** Timeouts in milliseconds for DNS, the connection, the greeting, and inactivity of the socket. */
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

/** Returns a mailer for the server at `GW_SMTP_URL`, or otherwise at `url`. It opens a connection for each e-mail. */
export function smtpMailer({ url, from, ...settings }: SmtpOptions): MailerSource {
  return {
    operations: mailOperations,
    configure(env) {
      const text = env.text("GW_SMTP_URL", url, smtpAddress);
      // If there is no address, the environment has recorded the problem and will throw it.
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
    user: percentDecode(username),
    password: percentDecode(password),
  };
}

/** Resolves when the server has accepted the e-mail. */
async function deliver(server: Server, letter: NumberedLetter, signal: AbortSignal): Promise<void> {
  const message = await write(letter);
  const { host, port, secure, user, password } = server;
  // A password is never sent unencrypted, except to this machine.
  const requireTLS = !secure && user !== "" && !isLoopback(host);
  const connection = new SMTPConnection({ host, port, secure, requireTLS, ...patience });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  connection.on("error", reject);
  const send = () =>
    connection.send({ from: letter.from, to: letter.to, size: message.length }, message, (error) => {
      if (error) return reject(error);
      // The server has accepted the e-mail: later errors change nothing.
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

/**
 * Returns the message with its headers. Names and addresses are separate, so that no text becomes several addresses.
 */
function write({ id, fromName, from, to, subject, text }: NumberedLetter): Promise<Buffer> {
  const domain = domainToASCII(from.slice(from.indexOf("@") + 1));
  return new MailComposer({
    // The same for every attempt, so that duplicates can be recognised if a response was lost.
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

/** Returns the reason of a failure without private data, and whether a retry could succeed. */
function faultOf(error: unknown): DeliveryFault {
  const { command, responseCode } = Object(error);
  const isAboutLetter = typeof command === "string" && /^(?:RCPT|DATA)/.test(command);
  // 5yz replies are final (RFC 5321, section 4.2.1). Replies to other commands are about the sender's settings.
  return { reason: reasonOf(error), isFinal: isAboutLetter && responseCode >= 500 };
}

/** Returns codes only, because the texts of servers may contain addresses. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const code = "code" in error ? String(error.code) : error.name;
  return "responseCode" in error && typeof error.responseCode === "number"
    ? `${code} (${error.responseCode})`
    : code;
}
