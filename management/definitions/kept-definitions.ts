// Stores definitions: the row of an API, its versions, and the compiled modules.

import type { RestCaller } from "../../runtime/rest/operation.ts";
import type { ManagementTransaction } from "../store/open.ts";
import type { BuiltApi, CheckedDefinition } from "./check.ts";
import { digestOf, type SentDefinition } from "./sent.ts";

/** Returns the columns of an API's row that depend on its newest definition. */
export function columnsOf(
  { text, format }: SentDefinition,
  { facts }: CheckedDefinition,
  version: number,
  now: string,
) {
  return {
    name: facts.name,
    listen_path: facts.listenPath,
    active: facts.isServed ? (1 as const) : (0 as const),
    format,
    version,
    digest: digestOf(text),
    updated_at: now,
  };
}

/** An accepted definition and its author. */
export interface Taken {
  readonly id: string;
  readonly storeId: string;
  readonly sent: SentDefinition;
  readonly checked: CheckedDefinition;
  readonly version: number;
  readonly caller: RestCaller;
}

/** Stores a definition as a version of its API. */
export async function writeVersion(
  connection: ManagementTransaction,
  { id, storeId, sent, checked, version, caller }: Taken,
  now: string,
): Promise<void> {
  const { facts } = checked;
  await connection
    .insertInto("management_versions")
    .values({
      api_id: id,
      store_id: storeId,
      version,
      org_id: caller.organisation,
      format: sent.format,
      definition: sent.text,
      digest: digestOf(sent.text),
      created_at: now,
      created_by: caller.name ?? "unknown",
      name: facts.name,
      listen_path: facts.listenPath,
      active: facts.isServed ? 1 : 0,
    })
    .execute();
}

/** Stores a module for the deployments that will contain it. */
export async function writeBuilt(
  connection: ManagementTransaction,
  built: BuiltApi | undefined,
  now: string,
): Promise<void> {
  if (built === undefined) return;
  const { source, artifact, code } = built;
  const { module } = artifact;
  await connection
    .insertInto("management_blobs")
    .values({ digest: module, code })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await connection
    .insertInto("management_artifacts")
    .values({ source, artifact: JSON.stringify(artifact), module, used_at: now })
    .onConflict((conflict) => conflict.column("source").doUpdateSet({ used_at: now }))
    .execute();
}
