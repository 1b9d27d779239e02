// The audit log of the portal: who changed what. Entries are written in the transaction of the change.

import { listed, pageParameters, readPage } from "../rest/lists.ts";
import type { OperationRequest, RecordSchema } from "../rest/operation.ts";
import { createIdentifier, isIdentifier } from "../store/identifiers.ts";
import type { Store, StoreTransaction } from "../store/store.ts";
import type { PortalAuditTable } from "../store/tables.ts";
import { operation, type PortalOperation } from "./operation.ts";

/** A change, as the list shows it. */
export interface AuditEntry {
  readonly id: string;
  readonly date_created: string;
  readonly actor: string;
  readonly actor_id: string | null;
  readonly action: string;
  readonly object: string;
}

const auditSchema: RecordSchema<AuditEntry> = {
  name: "AuditEntry",
  schema: {
    title: "Change",
    description: "A change and its actor.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: {
      id: { type: "string", description: "Later changes have greater ids." },
      date_created: { type: "string", description: "Time of the change, in UTC." },
      actor: {
        type: "string",
        description:
          "The name of the actor: the e-mail address of a developer, the position of an administrator's token, or the name of an administrator who signed in. The id if the developer was deleted.",
      },
      actor_id: {
        type: ["string", "null"],
        description:
          "The id of a developer; the issuer and the subject of an administrator who signed in; `null` for tokens.",
      },
      action: { type: "string", description: "The operation, such as `approveRequest`." },
      object: {
        type: "string",
        description: "The path of the request; with the id if an object was created.",
      },
    },
  },
};

/** Milliseconds that entries are kept, and the maximum number of entries per organisation. */
const kept = 365 * 24 * 3_600_000;
const mostKept = 100_000;
/** One in this many new entries triggers the removal of old ones. */
const cutEvery = 100;

/** Operations that change no record of the portal, whatever their method. */
const unnoted = new Set(["verifyCredentials", "publishEvents", "chooseLanguage"]);

/** Wraps an operation so that each change it makes is logged. */
export function audited(own: PortalOperation): PortalOperation {
  if (own.method === "GET" || unnoted.has(own.operationId)) return own;
  return {
    ...own,
    async run(request, services) {
      const entry = entryOf(own, request);
      const { store, finish } = noting(services.store, request.organisation, entry);
      const answer = await own.run(request, { ...services, store });
      await finish(own.method === "POST" ? idIn(answer) : undefined);
      return answer;
    },
  };
}

/** Changes that developers make to their own account without a session. */
export const ownChanges = ["signUp", "choosePassword", "changeOwnPassword"] as const;

/** Logs one of `ownChanges`, in the transaction of the change. */
export async function noteOwnChange(
  connection: StoreTransaction,
  organisation: string,
  developer: string,
  action: (typeof ownChanges)[number],
): Promise<void> {
  const [id, at] = [createIdentifier(), new Date().toISOString()];
  const object = `/developers/${developer}`;
  const entry = { id, date_created: at, actor: developer, actor_name: null, action, object };
  await insertEntry(connection, organisation, entry);
}

/** The operations with which administrators query the log. */
export const auditOperations: readonly PortalOperation[] = [
  operation({
    method: "GET",
    path: "/audit",
    operationId: "listChanges",
    tag: "Audit log",
    summary: "Lists the changes in the organisation, newest first.",
    parameters: [
      ...pageParameters,
      {
        name: "actor",
        description: "Only changes of this actor, by `actor_id`, or by `actor` where that is `null`.",
        schema: { type: "string" },
      },
      { name: "action", description: "Only changes by this operation.", schema: { type: "string" } },
    ],
    answer: { kind: "list", record: auditSchema },
    async run(request, { store }) {
      const page = readPage(request);
      return store.read(async (connection) => {
        let own = connection
          .selectFrom("portal_audit")
          .where("portal_audit.org_id", "=", request.organisation);
        for (const name of ["actor", "action"] as const) {
          const wanted = request.query.get(name);
          if (typeof wanted === "string") own = own.where(name, "=", wanted);
        }
        const { total } = await own
          .select(({ fn }) => fn.countAll<number>().as("total"))
          .executeTakeFirstOrThrow();
        // For developers, the log keeps ids only, so that no personal data of a deleted developer remains.
        const sorted = own
          .leftJoin("portal_developers", (join) =>
            join
              .onRef("portal_developers.id", "=", "portal_audit.actor")
              .onRef("portal_developers.org_id", "=", "portal_audit.org_id"),
          )
          .select([
            "portal_audit.id",
            "portal_audit.date_created",
            "portal_audit.actor",
            "portal_audit.actor_name",
            "portal_audit.action",
            "portal_audit.object",
            "portal_developers.email",
          ])
          .orderBy("portal_audit.id", "desc");
        const rows = await (page === undefined
          ? sorted
          : sorted.limit(page.limit).offset(page.offset)
        ).execute();
        return listed(rows.map(toEntry), total, page);
      });
    },
  }),
];

type WrittenEntry = Omit<PortalAuditTable, "org_id">;

function toEntry(row: WrittenEntry & { readonly email: string | null }): AuditEntry {
  const { id, date_created, actor, actor_name: name, action, object, email } = row;
  const hasId = name !== null || isIdentifier(actor);
  return { id, date_created, actor: name ?? email ?? actor, actor_id: hasId ? actor : null, action, object };
}

function entryOf({ operationId, path }: PortalOperation, { caller, param }: OperationRequest): WrittenEntry {
  const { developer, id, name = "administrator" } = caller;
  return {
    id: createIdentifier(),
    date_created: new Date().toISOString(),
    actor: developer ?? id ?? name,
    actor_name: id === undefined ? null : name,
    action: operationId,
    object: path.replace(/\{(\w+)\}/g, (_, name: string) => param(name)),
  };
}

/** Returns the id of the created object if the response contains one. */
function idIn(answer: object): string | undefined {
  return "Message" in answer && typeof answer.Message === "string" && isIdentifier(answer.Message)
    ? answer.Message
    : undefined;
}

/**
 * Wraps a store so that its first transaction logs the change. `finish` logs it if there was no transaction, and adds
 * the id of the created object.
 */
function noting(store: Store, organisation: string, entry: WrittenEntry) {
  let isNoted = false;
  const note = (connection: StoreTransaction) => insertEntry(connection, organisation, entry);
  const own: Store = {
    ...store,
    get unreachableSince() {
      return store.unreachableSince;
    },
    get unwritable() {
      return store.unwritable;
    },
    async transact(work, isSnapshot) {
      const isFirst = !isNoted;
      const made = await store.transact(async (connection) => {
        const result = await work(connection);
        if (isFirst) await note(connection);
        return result;
      }, isSnapshot);
      isNoted = true;
      return made;
    },
  };
  async function finish(made: string | undefined): Promise<void> {
    if (!isNoted) await store.transact(note);
    if (made === undefined) return;
    const object = `${entry.object}/${made}`;
    await store.transact(async (connection) => {
      await connection.updateTable("portal_audit").set({ object }).where("id", "=", entry.id).execute();
    });
  }
  return { store: own, finish };
}

async function insertEntry(
  connection: StoreTransaction,
  organisation: string,
  entry: WrittenEntry,
): Promise<void> {
  await connection
    .insertInto("portal_audit")
    .values({ ...entry, org_id: organisation })
    .execute();
  if (Number.parseInt(entry.id.slice(-4), 16) % cutEvery > 0) return;
  const oldest = await connection
    .selectFrom("portal_audit")
    .select("id")
    .where("org_id", "=", organisation)
    .orderBy("id", "desc")
    .offset(mostKept)
    .limit(1)
    .executeTakeFirst();
  const before = createIdentifier(Date.now() - kept);
  const until = oldest === undefined || oldest.id < before ? before : oldest.id;
  await connection
    .deleteFrom("portal_audit")
    .where("org_id", "=", organisation)
    .where("id", "<=", until)
    .execute();
}
