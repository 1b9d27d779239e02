// E-mails to developers, before anything is known of how they are sent.

import type { GatewayScope } from "../../component/gateway-scope.ts";
import type { Environment } from "../../process/environment.ts";
import type { Logger } from "../../process/log.ts";

/** An e-mail of plain text. */
export interface Letter {
  /** What it is for, in logs. */
  readonly kind: string;
  /** Name that it is from, for people; empty for none. */
  readonly fromName: string;
  /** Address that it is from; empty for that of the mailer. */
  readonly from: string;
  /** Address of the one recipient. */
  readonly to: string;
  /** One line. */
  readonly subject: string;
  readonly text: string;
}

/** What sends e-mails. */
export interface Mailer {
  /** Sends a letter at some time; whether that fails is for logs and metrics only. */
  send(letter: Letter): void;
  /** Gives up what waits, and ends what is under way after a moment. */
  close(): Promise<void>;
}

/** A mailer as emitted code names it; making one opens nothing. */
export interface MailerSource {
  /** Throws an `EnvironmentError` for what is no address of a server. */
  configure(env: Environment): { start(context: MailerContext): Mailer };
}

/** What a mailer is given when the gateway starts. */
export interface MailerContext {
  readonly log: Logger;
  readonly gateway: GatewayScope;
}
