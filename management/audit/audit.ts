// The audit log: who changed what. Entries are written in the transaction of the change and contain no keys.

import { sql } from "kysely";
import { type Listed, listed, type Page } from "../../runtime/rest/lists.ts";
import type { RestCaller } from "../../runtime/rest/operation.ts";
import { readableIds } from "../definitions/apis.ts";
import { countChange, type ManagementTransaction } from "../store/open.ts";
import type { ManagementStore } from "../store/tables.ts";

/** A change. */
export interface AuditedChange {
  /** The operation, such as `createStreamApi`. */
  readonly action: string;
  /** The id of the changed object. */
  readonly object: string;
  /** The stream, if the change concerns a stream of the API. */
  readonly detail?: string;
  /** The hexadecimal SHA-256 digests of the definition before and after the change. */
  readonly before?: string;
  readonly after?: string;
}

/** A change as clients receive it. */
export interface AuditRecord {
  /** The number of the change among those of the organisation that the caller may read. */
  readonly number: number;
  readonly at: string;
  readonly actor: string;
  /** The id of the user; `null` for a key of the environment. */
  readonly actor_id: string | null;
  readonly action: string;
  readonly object: string;
  readonly detail: string | null;
  readonly before_digest: string | null;
  readonly after_digest: string | null;
}

/** Logs a change, in the transaction of the change. */
export async function noteChange(
  connection: ManagementTransaction,
  caller: RestCaller,
  { action, object, detail, before, after }: AuditedChange,
  now: string,
): Promise<void> {
  await connection
    .insertInto("management_audit")
    .values({
      number: await countChange(connection, "audit", now),
      org_id: caller.organisation,
      at: now,
      actor: caller.name ?? "unknown",
      actor_id: caller.id ?? null,
      action,
      object,
      detail: detail ?? null,
      before_digest: before ?? null,
      after_digest: after ?? null,
    })
    .execute();
}

/** Actions on APIs. All others concern users or deployments. */
const apiActions: readonly string[] = [
  "createStreamApi",
  "replaceStreamApi",
  "patchStreamApi",
  "rollBackStreamApi",
  "deleteStreamApi",
  "publishStreamApi",
  "startStream",
  "stopStream",
  "restartStream",
  "tailStream",
];

/**
 * Returns a page of the changes in the caller's organisation, the newest first; only those of `object` if it is given.
 * A caller who may not read the whole organisation gets the changes of the APIs that it may read.
 */
export async function listChanges(
  store: ManagementStore,
  caller: RestCaller,
  page: Page | undefined,
  object: string | undefined,
): Promise<Listed<AuditRecord>> {
  const readable = await readableIds(store, caller);
  return store.read(async (connection) => {
    // Renumber the changes: the stored numbers also count hidden ones, and would reveal how much others change.
    const all = connection
      .selectFrom("management_audit")
      .where("org_id", "=", caller.organisation)
      .$if(readable !== undefined, (query) =>
        query.where("object", "in", readable ?? []).where("action", "in", apiActions),
      )
      .selectAll()
      .select(sql<number>`cast(row_number() over (order by number) as integer)`.as("own_number"))
      .as("changes");
    const changes = connection.selectFrom(all);
    const wanted = object === undefined ? changes : changes.where("object", "=", object);
    const { total } = await wanted
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow();
    const sorted = wanted
      .select([
        "own_number as number",
        "at",
        "actor",
        "actor_id",
        "action",
        "object",
        "detail",
        "before_digest",
        "after_digest",
      ])
      .orderBy("own_number", "desc");
    const rows = await (page === undefined ? sorted : sorted.limit(page.limit).offset(page.offset)).execute();
    return listed(rows, total, page);
  });
}
