// E-mails to developers, before anything is known of how they are sent.

import type { GatewayScope } from "../../component/gateway-scope.ts";
import type { Environment } from "../../process/environment.ts";
import type { Logger } from "../../process/log.ts";
import type { Store, Writing } from "../../store/store.ts";
import type { TextName } from "../languages/english.ts";
import type { Languages } from "../languages/languages.ts";
import type { Sealing } from "../webhooks/secrets.ts";

/** An e-mail of plain text. */
export interface Letter {
  /** What it is for, in logs and lists. */
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
  /** Milliseconds after which it is of no use any more; unlimited by default. */
  readonly validFor?: number;
}

/** What sends e-mails, which wait in the store. */
export interface Mailer {
  /**
   * Puts a letter into the store, in the transaction of what it tells of: it is sent where that is committed. Whether that
   * fails is for logs, metrics and the list of e-mails.
   */
  post(connection: Writing, organisation: string, letter: Letter): Promise<void>;
  /** A text in the language of a reader; that of the portal where it is empty. */
  textOf(language: string, name: TextName): string;
  /** Tells that a transaction with letters is committed; without it they are found a moment later. */
  wake(): void;
  /** Ends what is under way after a moment; it stays in the store, with what waits. */
  close(): Promise<void>;
}

/** What a mailer is given when the gateway starts. */
export interface MailerContext {
  readonly log: Logger;
  readonly gateway: GatewayScope;
  readonly store: Store;
  readonly languages: Languages;
  /** How letters are kept, which may hold credentials. */
  readonly sealing: Sealing;
}

/** A mailer of a gateway that has not started yet. */
export interface ConfiguredMailer {
  start(context: MailerContext): Mailer;
}

/** Makes a mailer; throws an `EnvironmentError` for what is not an address of a server. */
export type ConfigureMailer = (env: Environment) => ConfiguredMailer;
