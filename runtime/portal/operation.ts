// What the portal can be asked: operations that work with its services.

import type { PasswordWork } from "../keys/password-work.ts";
import type { PolicyRecord } from "../keys/records.ts";
import type { LoginAttempts } from "../logins/login-attempts.ts";
import type { Logger } from "../process/log.ts";
import {
  type OperationOf,
  type RestOperation as OperationWith,
  operation as operationOf,
} from "../rest/operation.ts";
import type { Store } from "../store/store.ts";
import type { Mailer } from "./mail/mailer.ts";
import type { WebhookService } from "./webhooks/service.ts";

/** Where they are served. */
export const portalPath = "/api/portal";

/** What operations work with. */
export interface Services {
  readonly store: Store;
  /** Policies of `gateway.yaml`, by id, which no operation changes. */
  readonly policies: ReadonlyMap<string, PolicyRecord>;
  /** Whose an API of the gateway is; `undefined` for one of no organisation, and for one that is not there. */
  readonly ownerOf: (api: string) => string | undefined;
  readonly passwords: PasswordWork;
  readonly logins: LoginAttempts;
  readonly webhooks: WebhookService;
  /** Absent where no e-mails are sent. */
  readonly mailer?: Mailer;
  readonly log: Logger;
}

/** One of the portal's operations, whatever its body. */
export type PortalOperation = OperationWith<Services>;

/** Makes an operation of what is said of it. */
export function operation<B>(description: OperationOf<B, Services>): PortalOperation {
  return operationOf(description);
}
