// Deployments in the store.

import type { ApiArtifact, ArtifactManifest } from "../../runtime/gateway/artifact/manifest.ts";
import { notFound } from "../../runtime/rest/answers.ts";
import { type Listed, listed, type Page } from "../../runtime/rest/lists.ts";
import type { ManagementTransaction } from "../store/open.ts";
import type { DeploymentTable, ManagementStore } from "../store/tables.ts";

/** A deployment as gateways receive it. */
export interface Deployment extends Omit<DeploymentTable, "signature"> {
  readonly signature: string | null;
}

/** Returns the newest deployment; `undefined` before the first one. */
export function newestDeployment(store: ManagementStore): Promise<Deployment | undefined> {
  return store.read((connection) =>
    connection
      .selectFrom("management_deployments")
      .selectAll()
      .orderBy("number", "desc")
      .limit(1)
      .executeTakeFirst(),
  );
}

/** Returns only the state of the newest deployment that is polled. */
export function newestState(
  store: ManagementStore,
): Promise<Pick<Deployment, "revision" | "basis" | "digest"> | undefined> {
  return store.read((connection) =>
    connection
      .selectFrom("management_deployments")
      .select(["revision", "basis", "digest"])
      .orderBy("number", "desc")
      .limit(1)
      .executeTakeFirst(),
  );
}

/** Returns the manifest of a deployment. */
function manifestOf({ manifest }: Pick<Deployment, "manifest">): ArtifactManifest {
  // The service itself has written the manifest.
  return JSON.parse(manifest) as ArtifactManifest;
}

/** Returns the APIs of a deployment by id. */
export function apisOf(deployment: Deployment | undefined): ReadonlyMap<string, ApiArtifact> {
  const apis = deployment === undefined ? [] : manifestOf(deployment).apis;
  return new Map(apis.map((api) => [api.id, api]));
}

/** Returns the text of a module; rejects with `notFound` if it does not exist. */
export async function getBlob(store: ManagementStore, digest: string): Promise<string> {
  const row = await store.read((connection) =>
    connection.selectFrom("management_blobs").select("code").where("digest", "=", digest).executeTakeFirst(),
  );
  if (row === undefined) throw notFound();
  return row.code;
}

/** The number of deployments that are kept for rollbacks. */
const keptDeployments = 50;
/** Milliseconds that a module without a deployment is kept, because a deployment may be about to use it. */
const keptUnused = 3_600_000;

/** Deletes old deployments and unused modules. */
export async function prune(connection: ManagementTransaction, newest: number, now: Date): Promise<void> {
  const last = newest - keptDeployments;
  await connection.deleteFrom("management_deployments").where("number", "<=", last).execute();
  await connection.deleteFrom("management_deployment_blobs").where("number", "<=", last).execute();
  await connection.deleteFrom("management_outcomes").where("number", "<=", last).execute();
  await connection
    .deleteFrom("management_artifacts")
    .where("used_at", "<", new Date(now.getTime() - keptUnused).toISOString())
    .where("module", "not in", (query) => query.selectFrom("management_deployment_blobs").select("digest"))
    .execute();
  await connection
    .deleteFrom("management_blobs")
    .where("digest", "not in", (query) => query.selectFrom("management_deployment_blobs").select("digest"))
    .where("digest", "not in", (query) => query.selectFrom("management_artifacts").select("module"))
    .execute();
}

/** Returns the entries of a JSON list that concern APIs in `own`; all entries if `own` is `undefined`. */
function onlyOwn(text: string, own: ReadonlySet<string> | undefined): readonly object[] {
  const entries: readonly { readonly id?: string; readonly api?: string }[] = JSON.parse(text);
  return own === undefined ? entries : entries.filter(({ id, api }) => own.has(id ?? api ?? ""));
}

/**
 * Returns a page of deployments, the newest first, with their results at gateways. Omits APIs that are not in `own`.
 */
export function listDeployments(
  store: ManagementStore,
  page: Page | undefined,
  own: ReadonlySet<string> | undefined,
): Promise<Listed<Readonly<Record<string, unknown>>>> {
  return store.read(async (connection) => {
    const { total } = await connection
      .selectFrom("management_deployments")
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow();
    const sorted = connection.selectFrom("management_deployments").selectAll().orderBy("number", "desc");
    const rows = await (page === undefined ? sorted : sorted.limit(page.limit).offset(page.offset)).execute();
    const numbers = rows.map(({ number }) => number);
    const outcomes =
      numbers.length === 0
        ? []
        : await connection
            .selectFrom("management_outcomes")
            .selectAll()
            .where("number", "in", numbers)
            .execute();
    const data = rows.map((row) => ({
      number: row.number,
      digest: row.digest,
      created_at: row.created_at,
      waited: row.waited,
      compiled: row.compiled,
      compiled_apis: row.compiled_apis,
      apis: onlyOwn(row.definitions, own),
      failures: onlyOwn(row.failures, own),
      gateways: outcomes
        .filter(({ number }) => number === row.number)
        .map(({ gateway, outcomes: text, reported_at: at }) => ({
          gateway,
          outcomes: onlyOwn(text, own),
          reported_at: at,
          took: Date.parse(at) - Date.parse(row.created_at),
        })),
    }));
    return listed(data, total, page);
  });
}
