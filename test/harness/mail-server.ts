// An SMTP server that receives e-mails for tests to inspect.

import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** A received message. */
export interface ReceivedMail {
  /** The sender of the envelope; `to` are its recipients. */
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body as they were sent. */
  readonly raw: string;
  /** The user who logged in; empty without a login. */
  readonly user: string;
  /** Whether the connection used TLS. */
  readonly secure: boolean;
}

/** A server on a free loopback port. */
export interface MailServer {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** The number of open connections. */
  open(): number;
  close(): Promise<void>;
}

/** Starts a server, on a free port unless `at` is given; `options` are those of the package `smtp-server`. */
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
  // A client that hangs up, for example because it does not trust the certificate, is not a failure of the server.
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(at, "127.0.0.1", resolve));
  return {
    port: (server.server.address() as AddressInfo).port, // it listens on a port
    mails,
    open: () => server.connections.size,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
