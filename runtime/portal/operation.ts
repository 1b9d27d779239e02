// The operations of the portal, and the services that they use.

import type { ApiIdentity } from "../http/call.ts";
import type { FindAccepted } from "../keys/accepted-credentials.ts";
import type { Keys } from "../keys/keys.ts";
import type { PasswordWork } from "../keys/password-work.ts";
import type { PolicyRecord } from "../keys/records.ts";
import { type LoginAttempts, networkOf } from "../logins/login-attempts.ts";
import type { Logger } from "../process/log.ts";
import { RestAnswer, refusal } from "../rest/answers.ts";
import { matches, tagged, tagOf } from "../rest/entity-tags.ts";
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

/**
 * Adds entity tags to operations on records: the operation that reads a record sends its `ETag`, and those that replace or
 * delete it accept that in `If-Match`, and respond with 412 if the record has changed since.
 */
export function withEntityTags(operations: readonly PortalOperation[]): readonly PortalOperation[] {
  const reads = new Map(
    operations
      .filter(({ method, answer }) => method === "GET" && answer.kind === "record")
      .map((each) => [each.path, each]),
  );
  return operations.map((each) => {
    const read = reads.get(each.path);
    if (read === each) return tagging(each);
    const isConditional = each.method === "PUT" || each.method === "DELETE";
    return read !== undefined && isConditional ? unlessChanged(each, read) : each;
  });
}

function tagging(read: PortalOperation): PortalOperation {
  return {
    ...read,
    summary: `${read.summary} Its \`ETag\` is accepted by \`If-Match\`.`,
    isTagged: true,
    async run(request, services) {
      const record = await read.run(request, services);
      return tagged(request, record instanceof RestAnswer ? record : answerWith(record, read));
    },
  };
}

function answerWith(record: object, read: PortalOperation): RestAnswer {
  return new RestAnswer(record, { etag: tagOfRecord(record, read) });
}

/** Returns the entity tag of a record. The volatile field has its own part, after a dot. */
function tagOfRecord(record: object, { volatile }: PortalOperation): string {
  if (volatile === undefined) return tagOf(JSON.stringify(record));
  const { [volatile]: changing, ...rest } = record as Readonly<Record<string, unknown>>;
  const [lasting, moving] = [rest, [changing]].map((part) => tagOf(JSON.stringify(part)).slice(1, -1));
  return `"${lasting}.${moving}"`;
}

/** Whether `If-Match` has the tag of a record, apart from the volatile field. */
function isExpected(expected: string, tag: string): boolean {
  const lasting = (text: string) => text.split(".", 1).join("");
  return matches(expected.split(",").map(lasting).join(","), lasting(tag));
}

/** Compares the entity tag in the first transaction of an operation, so that no change is between the two. */
function unlessChanged(write: PortalOperation, read: PortalOperation): PortalOperation {
  return {
    ...write,
    summary: `${write.summary} With \`If-Match\`, only if it is still the one that was read.`,
    refusals: [...(write.refusals ?? []), 412],
    async run(request, services) {
      const expected = request.header("if-match");
      if (expected === undefined) return write.run(request, services);
      const { store } = services;
      const check = async (connection: StoreTransaction) => {
        const within: Store = { ...store, read: (work) => work(connection) };
        const record = await read.run(request, { ...services, store: within });
        if (!isExpected(expected, tagOfRecord(record, read)))
          throw refusal(412, "The record has been changed meanwhile.");
      };
      let isChecked = false;
      const checking: Store = {
        ...store,
        async transact(work) {
          const isFirst = !isChecked;
          const made = await store.transact(async (connection) => {
            if (isFirst) await check(connection);
            return work(connection);
          }, true);
          isChecked = true;
          return made;
        },
      };
      return write.run(request, { ...services, store: checking });
    },
  };
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
