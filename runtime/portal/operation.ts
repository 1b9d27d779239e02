// The operations of the portal, and the services that they use.

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
import type { Store, StoreTransaction } from "../store/store.ts";
import type { ClientAuthority } from "./certificates/client-authority.ts";
import type { Languages } from "./languages/languages.ts";
import type { Mailer } from "./mail/mailer.ts";
import type { ReadKeyUsage } from "./page/key-usage.ts";
import type { KeySetReader } from "./requests/key-sets.ts";
import type { WebhookService } from "./webhooks/service.ts";

/** The path of the portal's operations. */
export const portalPath = "/api/portal";

/** The dependencies of operations. */
export interface PortalServices {
  readonly store: Store;
  /** The policies of `gateway.yaml` by id. Operations do not change them. */
  readonly policies: ReadonlyMap<string, PolicyRecord>;
  /** Returns the APIs that the gateway serves now. */
  readonly servedApis: () => readonly ApiIdentity[];
  /** Returns the credentials that an API of the gateway accepts. */
  readonly acceptedBy: FindAccepted;
  /** Reads the key sets of developers. */
  readonly keySets: KeySetReader;
  /** Signs certificates; absent if developers provide their own. */
  readonly authority?: ClientAuthority;
  readonly passwords: PasswordWork;
  readonly logins: LoginAttempts;
  readonly webhooks: WebhookService;
  /** The keys of the gateway; absent if the gateway requires none. */
  readonly keys?: Pick<Keys, "findKey" | "findUser">;
  /** Reads the remaining limits of a key; absent if there is no page. */
  readonly usage?: ReadKeyUsage;
  /** Absent if no e-mails are sent. */
  readonly mailer?: Mailer;
  /** Sends e-mails to people who are invited to a team; absent if the portal sends none. */
  readonly mailInvitation?: InvitationMailer;
  /** The languages of the page and of e-mails. */
  readonly languages: Languages;
  readonly log: Logger;
}

/** Returns services for a caller, so that hashing passwords for one caller does not delay the others. */
export function servicesFor(services: PortalServices): (caller: RestCaller) => PortalServices {
  return ({ address = "" }) => ({
    ...services,
    passwords: services.passwords.of({ network: networkOf(address), isKnown: false }),
  });
}

/**
 * Queues an invitation e-mail in the transaction of the invitation. Resolves with `false` if the daily limit is
 * reached, independent of the address.
 */
export type InvitationMailer = (
  services: PortalServices,
  connection: StoreTransaction,
  organisation: string,
  invited: {
    readonly team: { readonly id: string; readonly name: string };
    readonly email: string;
    /** The id of the developer who invites. */
    readonly by: string;
  },
) => Promise<boolean>;

/** An operation of the portal, whatever its body. */
export type PortalOperation = OperationWith<PortalServices>;

/** Creates an operation from its description. */
export function operation<B>(description: OperationOf<B, PortalServices>): PortalOperation {
  return operationOf(description);
}

/** Throws a 422 for the first of `apis` that belongs to another organisation. */
export function refuseForeignApis(
  { servedApis }: Pick<PortalServices, "servedApis">,
  organisation: string,
  { kind, field, apis }: { readonly kind: string; readonly field: string; readonly apis: readonly string[] },
): void {
  const others = servedApis().filter(({ organisation: owner = organisation }) => owner !== organisation);
  const foreign = apis.find((api) => others.some(({ id }) => id === api));
  if (foreign === undefined) return;
  const wrong = `${field}: \`${foreign}\` is not an API of the organisation`;
  throw refusal(422, `${kind} object validation failed.`, [wrong]);
}
