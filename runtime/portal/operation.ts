// What the portal can be asked: operations that work with its services.

import type { ApiIdentity } from "../http/call.ts";
import type { FindAccepted } from "../keys/accepted-credentials.ts";
import type { Keys } from "../keys/keys.ts";
import type { PasswordWork } from "../keys/password-work.ts";
import type { PolicyRecord } from "../keys/records.ts";
import { type LoginAttempts, networkOf } from "../logins/login-attempts.ts";
import type { Logger } from "../process/log.ts";
import { refusal } from "../rest/answers.ts";
import {
  type OperationOf,
  type RestOperation as OperationWith,
  operation as operationOf,
  type RestCaller,
} from "../rest/operation.ts";
import type { Store, Writing } from "../store/store.ts";
import type { ClientAuthority } from "./certificates/client-authority.ts";
import type { Languages } from "./languages/languages.ts";
import type { Mailer } from "./mail/mailer.ts";
import type { ReadKeyUsage } from "./page/key-usage.ts";
import type { KeySetReader } from "./requests/key-sets.ts";
import type { WebhookService } from "./webhooks/service.ts";

/** Where they are served. */
export const portalPath = "/api/portal";

/** What operations work with. */
export interface Services {
  readonly store: Store;
  /** Policies of `gateway.yaml`, by id, which no operation changes. */
  readonly policies: ReadonlyMap<string, PolicyRecord>;
  /** The APIs that the gateway serves now. */
  readonly servedApis: () => readonly ApiIdentity[];
  /** Which credentials open an API of the gateway. */
  readonly acceptedBy: FindAccepted;
  /** Reads the key sets of developers. */
  readonly keySets: KeySetReader;
  /** Signs certificates; absent where developers bring them. */
  readonly authority?: ClientAuthority;
  readonly passwords: PasswordWork;
  readonly logins: LoginAttempts;
  readonly webhooks: WebhookService;
  /** Those of the gateway; absent where it asks for none. */
  readonly keys?: Pick<Keys, "findKey" | "findUser">;
  /** Reads what is left of the limits of a key; absent without a page. */
  readonly usage?: ReadKeyUsage;
  /** Absent where no e-mails are sent. */
  readonly mailer?: Mailer;
  /** Sends e-mails to people who are invited to a team; absent if the portal sends none. */
  readonly mailInvitation?: InvitationMailer;
  /** Those of the page and of e-mails. */
  readonly languages: Languages;
  readonly log: Logger;
}

/** How long passwords of one caller take is no matter of others. */
export function servicesFor(services: Services): (caller: RestCaller) => Services {
  return ({ address = "" }) => ({
    ...services,
    passwords: services.passwords.of({ network: networkOf(address), isKnown: false }),
  });
}

/**
 * Queues the e-mail of an invitation to a team, in the transaction of that; gives `false` where no more are sent today,
 * whatever the address.
 */
export type InvitationMailer = (
  services: Services,
  connection: Writing,
  organisation: string,
  invited: {
    readonly team: { readonly id: string; readonly name: string };
    readonly email: string;
    /** The developer who invites. */
    readonly by: string;
  },
) => Promise<boolean>;

/** One of the portal's operations, whatever its body. */
export type PortalOperation = OperationWith<Services>;

/** Makes an operation of what is said of it. */
export function operation<B>(description: OperationOf<B, Services>): PortalOperation {
  return operationOf(description);
}

/** Throws a 422 for the first of `apis` that belongs to another organisation. */
export function refuseForeignApis(
  { servedApis }: Pick<Services, "servedApis">,
  organisation: string,
  { kind, field, apis }: { readonly kind: string; readonly field: string; readonly apis: readonly string[] },
): void {
  const others = servedApis().filter(({ organisation: owner = organisation }) => owner !== organisation);
  const foreign = apis.find((api) => others.some(({ id }) => id === api));
  if (foreign === undefined) return;
  const wrong = `${field}: \`${foreign}\` is not an API of the organisation`;
  throw refusal(422, `${kind} object validation failed.`, [wrong]);
}
