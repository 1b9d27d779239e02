// Who changed what: written in the transaction of the change, never changed, never holding a key.

import { sql } from "kysely";
import { type Listed, listed, type Page } from "../../runtime/rest/lists.ts";
import type { RestCaller } from "../../runtime/rest/operation.ts";
import { readableIds } from "../definitions/apis.ts";
import { countChange, type Writing } from "../store/open.ts";
import type { ManagementStore } from "../store/tables.ts";

/** One change. */
export interface Change {
  /** The operation: `createStreamApi`. */
  readonly action: string;
  /** The id of what was changed. */
  readonly object: string;
  /** A stream of it, where that is what was changed. */
  readonly detail?: string;
  /** Hex SHA-256 of the definition before and after. */
  readonly before?: string;
  readonly after?: string;
}

/** A change as clients get it. */
export interface AuditRecord {
  /** Counts the changes of the organisation. */
  readonly number: number;
  readonly at: string;
  readonly actor: string;
  /** The user whose key it was; null for a key of the environment. */
  readonly actor_id: string | null;
  readonly action: string;
  readonly object: string;
  readonly detail: string | null;
  readonly before_digest: string | null;
  readonly after_digest: string | null;
}

/** Notes a change in its transaction. */
export async function noteChange(
  connection: Writing,
  caller: RestCaller,
  { action, object, detail, before, after }: Change,
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

/** Actions whose object is an API; that of others is a user or a deployment. */
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
 * A page of the changes in the caller's organisation, the newest first; of one object where it is named. A caller who may not
 * read all of the organisation gets those of the APIs that it may read.
 */
export async function listChanges(
  store: ManagementStore,
  caller: RestCaller,
  page: Page | undefined,
  object: string | undefined,
): Promise<Listed<AuditRecord>> {
  const readable = await readableIds(store, caller);
  return store.read(async (connection) => {
    // The numbers that are kept count over all that is not shown, and would tell how much others do.
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
