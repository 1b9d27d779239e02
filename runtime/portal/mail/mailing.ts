// A mailer together with the operations on its e-mails, as emitted code references both.

import type { PortalOperation } from "../operation.ts";
import type { ConfigureMailer } from "./mailer.ts";

/** A mailer that opens nothing before it is started. */
export interface MailerSource {
  readonly configure: ConfigureMailer;
  /** The operations of the portal on e-mails. */
  readonly operations: readonly PortalOperation[];
}
