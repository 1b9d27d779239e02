// APIs in the store: what is read of them.

import { sql } from "kysely";
import { refusal } from "../../runtime/rest/answers.ts";
import type { Page } from "../../runtime/rest/lists.ts";
import type { RestCaller } from "../../runtime/rest/operation.ts";
import { type ApiPermission, may, mayAll } from "../access/rights.ts";
import type { ManagementStore } from "../store/tables.ts";
import type { Format } from "./sent.ts";

/** An API of the set, without its text. */
export interface SetMember {
  readonly id: string;
  readonly org_id: string;
  readonly store_id: string;
  readonly name: string;
  readonly format: Format;
  readonly digest: string;
  readonly version: number;
  readonly active: 0 | 1;
  readonly stopped: string;
  readonly restarts: string;
}

/** Every API there is, and how often they had been changed at most when they were read. */
export interface ApiSet {
  readonly revision: number;
  /** When the last of these changes was made. */
  readonly changedAt: string | undefined;
  readonly members: readonly SetMember[];
}

/** All APIs in the order of their making. */
export function readSet(store: ManagementStore): Promise<ApiSet> {
  return store.read(async (connection) => {
    // First: the writer notices later changes.
    const row = await connection
      .selectFrom("management_revisions")
      .select(["revision", "changed_at"])
      .where("topic", "=", "definitions")
      .executeTakeFirst();
    const members = await connection
      .selectFrom("management_apis")
      .select([
        "id",
        "org_id",
        "store_id",
        "name",
        "format",
        "digest",
        "version",
        "active",
        "stopped",
        "restarts",
      ])
      .orderBy("created_at")
      .orderBy("id")
      .execute();
    return { revision: row?.revision ?? 0, changedAt: row?.changed_at, members };
  });
}

/** The texts of the newest versions of APIs, by their ids. */
export async function readTexts(
  store: ManagementStore,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await store.read((connection) =>
    connection
      .selectFrom("management_apis as api")
      .innerJoin("management_versions as version", (join) =>
        join.onRef("version.api_id", "=", "api.id").onRef("version.version", "=", "api.version"),
      )
      .select(["api.id", "version.definition"])
      .where("api.id", "in", [...ids])
      .execute(),
  );
  return new Map(rows.map(({ id, definition }) => [id, definition]));
}

/**
 * The ids of the APIs of the caller's organisation, also of deleted ones, for which it has a permission: an id stays with its
 * organisation, and a name counts as the newest version has it.
 */
export async function idsFor(
  store: ManagementStore,
  caller: RestCaller,
  permission: ApiPermission,
): Promise<ReadonlySet<string>> {
  const rows = await store.read((connection) =>
    connection
      .selectFrom("management_versions as version")
      .innerJoin(
        (query) =>
          query
            .selectFrom("management_versions")
            .select(({ fn }) => ["api_id as id", fn.max("version").as("newest")])
            .where("org_id", "=", caller.organisation)
            .groupBy("api_id")
            .as("last"),
        (join) => join.onRef("last.id", "=", "version.api_id").onRef("last.newest", "=", "version.version"),
      )
      .select(["version.api_id as id", "version.name"])
      .execute(),
  );
  return new Set(rows.filter((api) => may(caller, permission, api)).map(({ id }) => id));
}

/** The ids for conditions of queries; `undefined` for a caller that may read all APIs of the organisation. */
export async function readableIds(
  store: ManagementStore,
  caller: RestCaller,
): Promise<readonly string[] | undefined> {
  // No id is empty, and PostgreSQL takes no empty list.
  return mayAll(caller, "read") ? undefined : ["", ...(await idsFor(store, caller, "read"))];
}

/** A version of an API, with its text. */
export interface StoredVersion {
  readonly version: number;
  readonly format: Format;
  readonly definition: string;
  readonly digest: string;
  readonly created_at: string;
  readonly created_by: string;
}

/** An API as an organisation sees it. */
export interface StoredApi {
  readonly id: string;
  readonly storeId: string;
  readonly name: string;
  readonly version: number;
  readonly digest: string;
}

/** The API that has this id, or is this record of the store; `undefined` where the organisation has none. */
export async function findApi(
  store: ManagementStore,
  organisation: string,
  id: string,
): Promise<StoredApi | undefined> {
  const row = await store.read((connection) =>
    connection
      .selectFrom("management_apis")
      .select(["id", "store_id", "name", "version", "digest"])
      .where((where) => where.or([where("id", "=", id), where("store_id", "=", id)]))
      .where("org_id", "=", organisation)
      .executeTakeFirst(),
  );
  if (row === undefined) return undefined;
  const { id: found, store_id: storeId, name, version, digest } = row;
  return { id: found, storeId, name, version, digest };
}

/** One version of an API. Rejects with 404. */
export async function getVersion(
  store: ManagementStore,
  organisation: string,
  { id, version }: Pick<StoredApi, "id" | "version">,
): Promise<StoredVersion> {
  const row = await store.read((connection) =>
    connection
      .selectFrom("management_versions")
      .select(["version", "format", "definition", "digest", "created_at", "created_by"])
      .where("api_id", "=", id)
      .where("version", "=", version)
      .where("org_id", "=", organisation)
      .executeTakeFirst(),
  );
  if (row === undefined) throw refusal(404, "API version does not exist");
  return row;
}

/** The versions of an API, the newest first, without their texts. */
export function listVersions(
  store: ManagementStore,
  organisation: string,
  id: string,
): Promise<readonly Omit<StoredVersion, "definition">[]> {
  return store.read((connection) =>
    connection
      .selectFrom("management_versions")
      .select(["version", "format", "digest", "created_at", "created_by"])
      .where("api_id", "=", id)
      .where("org_id", "=", organisation)
      .orderBy("version", "desc")
      .execute(),
  );
}

/** What APIs may be listed by; a `-` before it turns the order round. */
export const sortFields = ["name", "created_at", "updated_at"] as const;

export interface ListOptions {
  readonly page: Page | undefined;
  /** Part of the name, whatever its case. */
  readonly search?: string | undefined;
  /** The newest first by default. */
  readonly sort?: string | undefined;
}

/** A list as clients get it. */
export interface ApiList {
  readonly apis: readonly { readonly api_definition: Readonly<Record<string, unknown>> }[];
  readonly pages: number;
}

/** A page of an organisation's APIs, of those that the caller may read. */
export async function listApis(
  store: ManagementStore,
  caller: RestCaller,
  { page, search = "", sort = "-created_at" }: ListOptions,
): Promise<ApiList> {
  const field = sortFields.find((name) => name === sort.replace(/^-/, ""));
  if (field === undefined) throw refusal(422, "Query parameters validation failed.", [`sort: ${sort}`]);
  const readable = await readableIds(store, caller);
  return store.read(async (connection) => {
    const own = connection
      .selectFrom("management_apis")
      .where("org_id", "=", caller.organisation)
      .$if(readable !== undefined, (query) => query.where("id", "in", readable ?? []));
    const pattern = `%${search.toLowerCase().replaceAll(/[\\%_]/g, "\\$&")}%`;
    const wanted = search === "" ? own : own.where(sql<boolean>`lower(name) like ${pattern} escape '\\'`);
    const { total } = await wanted
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow();
    const sorted = wanted
      .selectAll()
      .orderBy(field, sort.startsWith("-") ? "desc" : "asc")
      .orderBy("id");
    const rows = await (page === undefined ? sorted : sorted.limit(page.limit).offset(page.offset)).execute();
    const apis = rows.map((row) => ({
      api_definition: {
        id: row.store_id,
        api_id: row.id,
        org_id: row.org_id,
        name: row.name,
        active: row.active === 1,
        proxy: { listen_path: row.listen_path },
        version: row.version,
        created_at: row.created_at,
        updated_at: row.updated_at,
      },
    }));
    return { apis, pages: page === undefined ? 0 : Math.ceil(total / page.limit) };
  });
}
