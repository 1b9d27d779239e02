// Key requests in the store, and the detection of repeated open requests of the same developer.

import type { PolicyRecord } from "../../keys/records.ts";
import { notFound, refusal } from "../../rest/answers.ts";
import { type Listed, listed, type Page } from "../../rest/lists.ts";
import { createIdentifier } from "../../store/identifiers.ts";
import { lockTopic, type Store, type StoreConnection, type StoreTransaction } from "../../store/store.ts";
import { describeOwner } from "../developers/developer-records.ts";
import { findOwners, lockActiveOwner, nameOfOwner, type OwnerRecord } from "../developers/owner-records.ts";
import { entriesFor } from "../documents/catalogue-entries.ts";
import { readCatalogue } from "../documents/documents.ts";
import type { KeyRequest } from "../generated/key-request.ts";
import { getPolicies } from "../policies/known-policies.ts";
import { columnText, namesOf, ownerColumn, policiesOf } from "./request-names.ts";

/** A stored request. The row records whether it is approved. */
interface RequestRow {
  readonly record: string;
  readonly approved: 0 | 1;
}

/** Returns the request in a row. */
export function readRequest({ record, approved }: RequestRow): KeyRequest {
  return { ...JSON.parse(record), approved: approved === 1 };
}

/** The columns by which lists are sorted. */
const columns: ReadonlyMap<string, "date_created" | "name" | "owner_name" | "approved"> = new Map([
  ["date_created", "date_created"],
  ["name", "name"],
  ["developer", "owner_name"],
  ["approved", "approved"],
]);

/** The sort orders of a list; descending with a leading `-`. */
export const requestOrders = [...columns.keys()].flatMap((each) => [each, `-${each}`]);

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
    const part = columnText(text ?? "");
    const found =
      part === ""
        ? wanted
        : wanted.where(({ or, eb, fn, ref, val }) =>
            // Both databases have this function, and patterns are different in them.
            or(
              (["words", "owner_name", "id"] as const).map((column) =>
                eb(fn<string>("replace", [column, val(part), val("")]), "<>", ref(column)),
              ),
            ),
          );
    const { total } = await found
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow();
    const [, sign, field] = /^(-?)(.*)$/.exec(order ?? "date_created") ?? [];
    const sorted = found
      .select(["record", "approved"])
      .orderBy(columns.get(field ?? "") ?? "date_created", sign === "-" ? "desc" : "asc")
      .orderBy("date_created")
      .orderBy("id");
    const rows = await (page === undefined ? sorted : sorted.limit(page.limit).offset(page.offset)).execute();
    return listed(await expand(connection, organisation, rows.map(readRequest)), total, page);
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
    const owner = await check(connection, policies, organisation, body);
    await refuseRepeated(connection, organisation, body);
    const names = await readNames(connection, organisation, { ...body, id }, owner);
    await connection
      .insertInto("portal_requests")
      .values({
        id,
        org_id: organisation,
        by_user: body.by_user,
        approved: 0,
        date_created: created,
        ...names,
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
    const owner = await check(connection, policies, organisation, body);
    if (former.approved !== true) await refuseRepeated(connection, organisation, body, id);
    const names = await readNames(connection, organisation, { ...body, id }, owner);
    const { numUpdatedRows } = await connection
      .updateTable("portal_requests")
      .set({
        by_user: body.by_user,
        ...names,
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
 * Returns the owner of a request, locked for the transaction. Rejects with 400 unless it and the policies exist.
 */
async function check(
  connection: StoreTransaction,
  configured: ReadonlyMap<string, PolicyRecord>,
  organisation: string,
  body: KeyRequest,
): Promise<OwnerRecord> {
  const isPlan = (body.apply_policies ?? []).length === 0 && (body.for_plan ?? "") !== "";
  const field = isPlan ? "for_plan" : "apply_policies";
  await getPolicies(connection, configured, organisation, policiesOf(body), field);
  return lockActiveOwner(connection, organisation, body.by_user);
}

/** Returns the columns by which a request is found. They stay as they are until the transaction ends. */
async function readNames(
  connection: StoreTransaction,
  organisation: string,
  request: KeyRequest & { readonly id: string },
  owner: OwnerRecord,
) {
  await lockTopic(connection, "catalogue");
  const catalogue = await readCatalogue(connection, organisation);
  return { ...namesOf(request, catalogue), ...ownerColumn(nameOfOwner(owner)) };
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
