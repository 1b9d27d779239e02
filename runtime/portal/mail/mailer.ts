// The interface of a mailer for developers, independent of how e-mails are sent.

import type { GatewayScope } from "../../component/gateway-scope.ts";
import type { Environment } from "../../process/environment.ts";
import type { Logger } from "../../process/log.ts";
import type { Store, StoreTransaction } from "../../store/store.ts";
import type { TextName } from "../languages/english.ts";
import type { Languages } from "../languages/languages.ts";
import type { Sealing } from "../webhooks/secrets.ts";

/** A plain-text e-mail. */
export interface Letter {
  /** The purpose, in logs and lists. */
  readonly kind: string;
  /** The display name of the sender; empty for none. */
  readonly fromName: string;
  /** The address of the sender; empty for that of the mailer. */
  readonly from: string;
  /** The address of the only recipient. */
  readonly to: string;
  /** The subject, in one line. */
  readonly subject: string;
  readonly text: string;
  /** Milliseconds after which the e-mail is useless; unlimited by default. */
  readonly validFor?: number;
}

/** Sends e-mails, which are queued in the store. */
export interface Mailer {
  /**
   * Queues an e-mail in the transaction of the event that it reports; it is sent once that is committed. Failures to
   * send appear in logs, metrics and the list of e-mails.
   */
  post(connection: StoreTransaction, organisation: string, letter: Letter): Promise<void>;
  /** Returns a text in the language of a reader, or in the default language of the portal if `language` is empty. */
  textOf(language: string, name: TextName): string;
  /** Reports that a transaction with e-mails is committed. Without this call they are found a moment later. */
  wake(): void;
  /** Ends running attempts after a moment. Unsent e-mails stay in the store. */
  close(): Promise<void>;
}

/** The dependencies of a mailer, available when the gateway starts. */
export interface MailerContext {
  readonly log: Logger;
  readonly gateway: GatewayScope;
  readonly store: Store;
  readonly languages: Languages;
  /** Encrypts stored e-mails, which may contain credentials. */
  readonly sealing: Sealing;
}

/** A mailer before the gateway starts. */
export interface ConfiguredMailer {
  start(context: MailerContext): Mailer;
}

/** Creates a mailer. Throws an `EnvironmentError` if the address of the server is not valid. */
export type ConfigureMailer = (env: Environment) => ConfiguredMailer;
