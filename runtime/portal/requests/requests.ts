// Key requests in the store, and which of them ask for what an open request of the same developer asks for already.

import type { PolicyRecord } from "../../keys/records.ts";
import { notFound, refusal } from "../../rest/answers.ts";
import { type Listed, listed, type Page } from "../../rest/lists.ts";
import { createIdentifier } from "../../store/identifiers.ts";
import type { Store, StoreConnection, Writing } from "../../store/store.ts";
import { describeOwner } from "../developers/developer-records.ts";
import { findOwners, lockActiveOwner } from "../developers/owner-records.ts";
import { entriesFor, readCatalogue } from "../documents/documents.ts";
import type { KeyRequest } from "../generated/key-request.ts";
import { getPolicies } from "../policies/known-policies.ts";
import { policiesOf } from "./asked.ts";

/** A request as it is stored, and whether it has been approved, which its row says. */
interface RequestRow {
  readonly record: string;
  readonly approved: 0 | 1;
}

/** A request of a row. */
export function readRequest({ record, approved }: RequestRow): KeyRequest {
  return { ...JSON.parse(record), approved: approved === 1 };
}

/** Which requests a list has; all where nothing is said. */
export interface RequestFilter {
  /** Those that were, or were not, approved. */
  readonly approved?: boolean | undefined;
  /** Those of this developer or team. */
  readonly owner?: string;
}

/** A page of an organisation's requests, the oldest first. */
export async function listRequests(
  store: Store,
  organisation: string,
  page: Page | undefined,
  { approved, owner }: RequestFilter,
): Promise<Listed<KeyRequest>> {
  return store.read(async (connection) => {
    const all = connection.selectFrom("portal_requests").where("org_id", "=", organisation);
    const own = owner === undefined ? all : all.where("by_user", "=", owner);
    const wanted = approved === undefined ? own : own.where("approved", "=", approved ? 1 : 0);
    const { total } = await wanted
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow();
    const sorted = wanted.select(["record", "approved"]).orderBy("date_created").orderBy("id");
    const rows = await (page === undefined ? sorted : sorted.limit(page.limit).offset(page.offset)).execute();
    return listed(await expand(connection, organisation, rows.map(readRequest)), total, page);
  });
}

/** One request; rejects with `notFound`. */
export async function getRequest(store: Store, organisation: string, id: string): Promise<KeyRequest> {
  return store.read(async (connection) => {
    const request = await findRequest(connection, organisation, id);
    if (request === undefined) throw notFound();
    const [expanded] = await expand(connection, organisation, [request]);
    return expanded ?? request;
  });
}

/** A request as it is stored. */
export async function findRequest(
  connection: StoreConnection,
  organisation: string,
  id: string,
): Promise<KeyRequest | undefined> {
  const row = await connection
    .selectFrom("portal_requests")
    .select(["record", "approved"])
    .where("id", "=", id)
    .where("org_id", "=", organisation)
    .executeTakeFirst();
  return row && readRequest(row);
}

/** With what the server knows of the owner and the catalogue. */
async function expand(
  connection: StoreConnection,
  organisation: string,
  requests: readonly KeyRequest[],
): Promise<readonly KeyRequest[]> {
  const users = requests.map(({ by_user: user }) => user);
  const owners = await findOwners(connection, organisation, users);
  const catalogue = requests.length === 0 ? [] : await readCatalogue(connection, organisation);
  return requests.map((request) => {
    const catalogues = entriesFor(catalogue, policiesOf(request), request.version);
    const [entry] = catalogues;
    return {
      ...request,
      ...describeOwner(owners.get(request.by_user)),
      ...(entry !== undefined && { catalogue_entry: entry }),
      catalogues,
    };
  });
}

/** What a request is checked with. */
export interface RequestContext {
  readonly store: Store;
  /** Policies of `gateway.yaml`. */
  readonly policies: ReadonlyMap<string, PolicyRecord>;
}

/**
 * Makes a request and gives its id. Rejects with 400 where the developer or a policy is not there, and with 409 where the
 * developer has an open request for the same.
 */
export async function createRequest(
  { store, policies }: RequestContext,
  organisation: string,
  body: KeyRequest,
): Promise<string> {
  const id = createIdentifier();
  const created = new Date().toISOString();
  await store.transact(async (connection) => {
    await check(connection, policies, organisation, body);
    await refuseRepeated(connection, organisation, body);
    await connection
      .insertInto("portal_requests")
      .values({
        id,
        org_id: organisation,
        by_user: body.by_user,
        approved: 0,
        date_created: created,
        record: recordOf(body, { id, org_id: organisation, date_created: created }),
      })
      .execute();
  });
  return id;
}

/** Puts a request in the place of another, which stays approved or not; rejects as `createRequest`, and with `notFound`. */
export async function replaceRequest(
  { store, policies }: RequestContext,
  organisation: string,
  id: string,
  body: KeyRequest,
): Promise<void> {
  await store.transact(async (connection) => {
    const former = await findRequest(connection, organisation, id);
    if (former === undefined) throw notFound();
    await check(connection, policies, organisation, body);
    if (former.approved !== true) await refuseRepeated(connection, organisation, body, id);
    const { numUpdatedRows } = await connection
      .updateTable("portal_requests")
      .set({
        by_user: body.by_user,
        record: recordOf(body, { id, org_id: organisation, date_created: former.date_created ?? "" }),
      })
      .where("id", "=", id)
      .where("org_id", "=", organisation)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw notFound();
  });
}

/** Deletes a request, which is how one is declined; keys that it gave stay. Rejects with 404. */
export async function deleteRequest(store: Store, organisation: string, id: string): Promise<void> {
  const { numDeletedRows } = await store.read((connection) =>
    connection
      .deleteFrom("portal_requests")
      .where("id", "=", id)
      .where("org_id", "=", organisation)
      .executeTakeFirst(),
  );
  if (numDeletedRows === 0n) throw refusal(404, "Could not retrieve object for deletion");
}

/** Rejects with 400 unless the policies of a request are there, and its developer, who is there until the end then. */
async function check(
  connection: Writing,
  configured: ReadonlyMap<string, PolicyRecord>,
  organisation: string,
  body: KeyRequest,
): Promise<void> {
  const isPlan = (body.apply_policies ?? []).length === 0 && (body.for_plan ?? "") !== "";
  const field = isPlan ? "for_plan" : "apply_policies";
  await getPolicies(connection, configured, organisation, policiesOf(body), field);
  await lockActiveOwner(connection, organisation, body.by_user);
}

/** The text to keep: every field that clients know, and what the server says. */
function recordOf(
  body: KeyRequest,
  own: Pick<Required<KeyRequest>, "id" | "org_id" | "date_created">,
): string {
  const { id, org_id, date_created } = own;
  return JSON.stringify({
    id,
    key: "",
    org_id,
    for_api: "",
    for_plan: "",
    apply_policies: [],
    remove_policies: [],
    fields: {},
    version: "",
    jwt_secret: "",
    certificate: "",
    ...body,
    date_created,
  });
}

/** What of a request tells it from others of its developer. */
type Subject = Pick<KeyRequest, "apply_policies" | "for_plan" | "for_api" | "version" | "key">;

/**
 * Throws a `refusal` (409) with the id of an open request of that developer, other than `id`, for the same policies of
 * the same API and version, and for the same key where one is to be extended. The developer is locked, so of two
 * requests at once the later one finds the other.
 */
async function refuseRepeated(
  connection: Writing,
  organisation: string,
  body: Subject & Pick<KeyRequest, "by_user">,
  id = "",
): Promise<void> {
  const rows = await connection
    .selectFrom("portal_requests")
    .select(["id", "record"])
    .where("org_id", "=", organisation)
    .where("by_user", "=", body.by_user)
    .where("approved", "=", 0)
    .orderBy("date_created")
    .orderBy("id")
    .execute();
  const wanted = subjectOf(body);
  const former = rows.find((row) => row.id !== id && subjectOf(JSON.parse(row.record)) === wanted);
  if (former === undefined) return;
  throw refusal(409, "This has been requested already, and waits for an approval.", [{ request: former.id }]);
}

/** The same text for requests for the same, in whatever order they name it. */
function subjectOf(request: Subject): string {
  const { for_api: api = "", version = "", key = "" } = request;
  return JSON.stringify([policiesOf(request).toSorted(), api, version, key]);
}
