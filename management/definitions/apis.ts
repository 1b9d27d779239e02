// Reads APIs from the store.

import { sql } from "kysely";
import { refusal } from "../../runtime/rest/answers.ts";
import type { Page } from "../../runtime/rest/lists.ts";
import type { RestCaller } from "../../runtime/rest/operation.ts";
import { type ApiPermission, may, mayAll } from "../access/rights.ts";
import type { ManagementStore } from "../store/tables.ts";
import type { DefinitionFormat } from "./sent.ts";

/** An API of the set, without its text. */
export interface SetMember {
  readonly id: string;
  readonly org_id: string;
  readonly store_id: string;
  readonly name: string;
  readonly format: DefinitionFormat;
  readonly digest: string;
  readonly version: number;
  readonly active: 0 | 1;
  readonly stopped: string;
  readonly restarts: string;
}

/** All APIs, with the revision that they have at least. */
export interface StoredApis {
  readonly revision: number;
  /** The time of the last change. */
  readonly changedAt: string | undefined;
  readonly members: readonly SetMember[];
}

/** Returns all APIs in the order of their creation. */
export function readSet(store: ManagementStore): Promise<StoredApis> {
  return store.read(async (connection) => {
    // Read the revision first: if the set changes afterwards, the writer notices.
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

/** Returns the texts of the newest versions of APIs, by id. */
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
 * Returns the ids of the APIs in the caller's organisation for which the caller has a permission, including deleted
 * APIs: an id always belongs to the same organisation. The name is that of the newest version.
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

/** Returns the readable ids for a query; `undefined` if the caller may read all APIs of the organisation. */
export async function readableIds(
  store: ManagementStore,
  caller: RestCaller,
): Promise<readonly string[] | undefined> {
  // No id is empty, and PostgreSQL does not accept an empty list.
  return mayAll(caller, "read") ? undefined : ["", ...(await idsFor(store, caller, "read"))];
}

/** A version of an API, with its text. */
export interface StoredVersion {
  readonly version: number;
  readonly format: DefinitionFormat;
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

/** Returns the API with this id or this store id; `undefined` if the organisation has none. */
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

/** Returns a version of an API. Rejects with 404 if it does not exist. */
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

/** Returns the versions of an API, the newest first, without their texts. */
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

/** The fields by which lists can be sorted. A leading `-` reverses the order. */
export const sortFields = ["name", "created_at", "updated_at"] as const;

export interface ListOptions {
  readonly page: Page | undefined;
  /** A part of the name, ignoring case. */
  readonly search?: string | undefined;
  /** The sort field; the newest first by default. */
  readonly sort?: string | undefined;
}

/** A list as clients receive it. */
export interface ApiList {
  readonly apis: readonly { readonly api_definition: Readonly<Record<string, unknown>> }[];
  readonly pages: number;
}

/** Returns a page of the organisation's APIs that the caller may read. */
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
