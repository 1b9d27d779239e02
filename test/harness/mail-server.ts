// A real SMTP server for e-mails that a test looks at.

import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** A message as it came. */
export interface ReceivedMail {
  /** The addresses of the envelope. */
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body as they were sent. */
  readonly raw: string;
  /** Who logged in; empty where nobody did. */
  readonly user: string;
  /** Whether it came by TLS. */
  readonly secure: boolean;
}

/** A server on a free port of the loopback. */
export interface MailServer {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** Connections that are open. */
  open(): number;
  close(): Promise<void>;
}

/** Starts a server, on a free port unless one is given; `options` are those of the package `smtp-server`. */
export async function startMailServer(options: SMTPServerOptions = {}, at = 0): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    ...options,
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(parts).toString("utf8"),
          user: typeof session.user === "string" ? session.user : "",
          secure: session.secure,
        });
        done();
      });
    },
  });
  // Clients that hang up, as those do that trust no certificate, are not the server's failures.
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(at, "127.0.0.1", resolve));
  return {
    port: (server.server.address() as AddressInfo).port, // it listens on a port
    mails,
    open: () => server.connections.size,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
