// Key requests in the store, and the detection of repeated open requests of the same developer.

import type { PolicyRecord } from "../../keys/records.ts";
import { notFound, refusal } from "../../rest/answers.ts";
import { type Listed, listed, type Page, sortedBy } from "../../rest/lists.ts";
import { createIdentifier } from "../../store/identifiers.ts";
import type { Store, StoreConnection, StoreTransaction } from "../../store/store.ts";
import { describeOwner } from "../developers/developer-records.ts";
import { findOwners, lockActiveOwner, readOwnerNames } from "../developers/owner-records.ts";
import { type CatalogueEntry, entriesFor, readCatalogue } from "../documents/documents.ts";
import type { KeyRequest } from "../generated/key-request.ts";
import { getPolicies } from "../policies/known-policies.ts";
import { policiesOf } from "./asked.ts";

/** A stored request. The row records whether it is approved. */
interface RequestRow {
  readonly record: string;
  readonly approved: 0 | 1;
}

/** Returns the request in a row. */
export function readRequest({ record, approved }: RequestRow): KeyRequest {
  return { ...JSON.parse(record), approved: approved === 1 };
}

/** The sort orders of a list; descending with a leading `-`. */
export const requestOrders = ["date_created", "name", "developer", "approved"].flatMap((each) => [
  each,
  `-${each}`,
]);

/** The orders that are columns of the table. */
const columns = ["date_created", "approved"] as const;

/** The filter and the order of a list. Without criteria the list contains all requests, the oldest first. */
export interface RequestFilter {
  /** Only requests that are, or are not, approved. */
  readonly approved?: boolean | undefined;
  /** Only requests of this developer or team. */
  readonly owner?: string;
  /** A part of the name, of a policy, of the developer's address or the team's name, or of the id, ignoring case. */
  readonly text?: string | undefined;
  /** One of `requestOrders`. */
  readonly order?: string | undefined;
}

/** Returns a page of an organisation's requests. */
export async function listRequests(
  store: Store,
  organisation: string,
  page: Page | undefined,
  { approved, owner, text, order }: RequestFilter,
): Promise<Listed<KeyRequest>> {
  return store.read(async (connection) => {
    const all = connection.selectFrom("portal_requests").where("org_id", "=", organisation);
    const own = owner === undefined ? all : all.where("by_user", "=", owner);
    const wanted = approved === undefined ? own : own.where("approved", "=", approved ? 1 : 0);
    const column = columns.find((each) => each === fieldOf(order ?? "date_created"));
    if ((text ?? "") !== "" || column === undefined) {
      // The names are in other records, of which databases know only the JSON.
      const rows = await wanted
        .select(["record", "approved"])
        .orderBy("date_created")
        .orderBy("id")
        .execute();
      const names = await readOwnerNames(connection, organisation);
      const catalogue = await readCatalogue(connection, organisation);
      const requests = rows.map(readRequest);
      const found = sortFound(findRequests(requests, names, catalogue, text ?? ""), order ?? "date_created");
      const { offset = 0, limit = found.length } = page ?? {};
      const shown = found.slice(offset, offset + limit).map(({ request }) => request);
      return listed(await expand(connection, organisation, shown), found.length, page);
    }
    const { total } = await wanted
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow();
    const sorted = wanted
      .select(["record", "approved"])
      .orderBy(column, order?.startsWith("-") === true ? "desc" : "asc")
      .orderBy("date_created")
      .orderBy("id");
    const rows = await (page === undefined ? sorted : sorted.limit(page.limit).offset(page.offset)).execute();
    return listed(await expand(connection, organisation, rows.map(readRequest)), total, page);
  });
}

/** A request with the texts by which it is found and sorted. */
interface FoundRequest {
  readonly request: KeyRequest;
  readonly name: string;
  readonly developer: string;
}

/** Returns the requests that contain a text. `names` has the addresses of developers and the names of teams. */
function findRequests(
  requests: readonly KeyRequest[],
  names: ReadonlyMap<string, string>,
  catalogue: readonly CatalogueEntry[],
  text: string,
): readonly FoundRequest[] {
  const wanted = text.toLowerCase();
  return requests.flatMap((request) => {
    const { id = "", by_user: user, for_api: api = "", version } = request;
    const policies = policiesOf(request);
    const [entry] = entriesFor(catalogue, policies, version);
    const name = (entry?.name || policies.join(", ") || api || id).toLowerCase();
    const developer = (names.get(user) ?? user).toLowerCase();
    const texts = [name, ...policies, api, developer, id];
    return texts.some((each) => each.toLowerCase().includes(wanted)) ? [{ request, name, developer }] : [];
  });
}

function fieldOf(order: string): string {
  return order.replace(/^-/, "");
}

/** Sorts requests. Equal ones stay in the order of their creation. */
function sortFound(found: readonly FoundRequest[], order: string): readonly FoundRequest[] {
  const field = fieldOf(order);
  return sortedBy(found, order, ({ request, name, developer }) => {
    if (field === "name") return name;
    if (field === "developer") return developer;
    return field === "approved" ? String(request.approved) : (request.date_created ?? "");
  });
}

/** Returns a request; rejects with `notFound` if it does not exist. */
export async function getRequest(store: Store, organisation: string, id: string): Promise<KeyRequest> {
  return store.read(async (connection) => {
    const request = await findRequest(connection, organisation, id);
    if (request === undefined) throw notFound();
    const [expanded] = await expand(connection, organisation, [request]);
    return expanded ?? request;
  });
}

/** Returns the stored request; `undefined` if there is none. */
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

/** Adds data about the owner and the catalogue to requests. */
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

/** The dependencies for checking requests. */
export interface RequestContext {
  readonly store: Store;
  /** The policies of `gateway.yaml`. */
  readonly policies: ReadonlyMap<string, PolicyRecord>;
}

/**
 * Creates a request and returns its id. Rejects with 400 if the developer or a policy does not exist, and with 409 if
 * the developer has an open request for the same access.
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

/** Replaces a request, which keeps its approval. Rejects as `createRequest` does, and with `notFound`. */
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

/** Deletes a request, which declines it. Keys that it issued stay. Rejects with 404 if it does not exist. */
export async function deleteRequest(store: Store, organisation: string, id: string): Promise<void> {
  await store.transact(async (connection) => {
    const { numDeletedRows } = await connection
      .deleteFrom("portal_requests")
      .where("id", "=", id)
      .where("org_id", "=", organisation)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw refusal(404, "Could not retrieve object for deletion");
  });
}

/**
 * Rejects with 400 unless the policies and the developer of a request exist. Locks the developer for the transaction.
 */
async function check(
  connection: StoreTransaction,
  configured: ReadonlyMap<string, PolicyRecord>,
  organisation: string,
  body: KeyRequest,
): Promise<void> {
  const isPlan = (body.apply_policies ?? []).length === 0 && (body.for_plan ?? "") !== "";
  const field = isPlan ? "for_plan" : "apply_policies";
  await getPolicies(connection, configured, organisation, policiesOf(body), field);
  await lockActiveOwner(connection, organisation, body.by_user);
}

/** Returns the text to store: all the fields that clients know, and those that the server sets. */
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

/** The fields that distinguish the requests of a developer. */
type Subject = Pick<KeyRequest, "apply_policies" | "for_plan" | "for_api" | "version" | "key">;

/**
 * Throws a `refusal` (409) with the id of another open request of the same developer for the same policies, API and
 * version, and for the same key if one is extended. `id` is the request itself. The developer is locked, so the later
 * of two concurrent requests finds the other one.
 */
async function refuseRepeated(
  connection: StoreTransaction,
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
  throw refusal(409, "This has already been requested and is waiting for approval.", [
    { request: former.id },
  ]);
}

/** Returns the same text for requests for the same access, independent of the order of policies. */
function subjectOf(request: Subject): string {
  const { for_api: api = "", version = "", key = "" } = request;
  return JSON.stringify([policiesOf(request).toSorted(), api, version, key]);
}
