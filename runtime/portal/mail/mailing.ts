// A mailer with what administrators can ask about its e-mails, as emitted code names both.

import type { PortalOperation } from "../operation.ts";
import type { ConfigureMailer } from "./mailer.ts";

/** A mailer that opens nothing until it is started. */
export interface MailerSource {
  readonly configure: ConfigureMailer;
  /** What the portal can be asked about e-mails. */
  readonly operations: readonly PortalOperation[];
}
