// Rolls back to the definitions of an earlier deployment. Each becomes a new version, so that no later version is lost.

import { notFound } from "../../runtime/rest/answers.ts";
import type { RestCaller } from "../../runtime/rest/operation.ts";
import { refuseUnlessMay } from "../access/rights.ts";
import { idsFor, type StoredApis } from "../definitions/apis.ts";
import type { Changes } from "../definitions/changes.ts";
import type { ManagementTransaction } from "../store/open.ts";
import type { ManagementStore, VersionTable } from "../store/tables.ts";

/** A definition in a deployment. */
interface Deployed {
  readonly id: string;
  readonly version: number;
}

/**
 * Makes the definitions of deployment `number` the newest ones: all of them for a key of the environment, otherwise
 * those that the user may write. Rejects with `notFound`, and with 403 if a route now belongs to another organisation
 * or the user may no longer write one of the definitions.
 */
export async function rollBack(
  store: ManagementStore,
  changes: Changes,
  number: number,
  caller: RestCaller,
): Promise<void> {
  const row = await store.read((connection) =>
    connection
      .selectFrom("management_deployments")
      .select("definitions")
      .where("number", "=", number)
      .executeTakeFirst(),
  );
  if (row === undefined) throw notFound();
  const all: readonly Deployed[] = JSON.parse(row.definitions);
  const own = caller.id === undefined ? undefined : await idsFor(store, caller, "write");
  const deployed = all.filter(({ id }) => own?.has(id) !== false);
  await changes.change({ caller, action: "rollBackDeployment" }, async (set) => {
    const before = set.members.filter(({ id }) => own?.has(id) !== false);
    if (own !== undefined) await refuseRestoring(deployed, { store, changes, set, caller });
    return {
      result: undefined,
      step: {
        object: String(number),
        async write(connection, now) {
          const ids = deployed.map(({ id }) => id);
          const removed = before.map(({ id }) => id).filter((id) => !ids.includes(id));
          if (removed.length > 0)
            await connection.deleteFrom("management_apis").where("id", "in", removed).execute();
          for (const each of deployed) await restore(connection, each, { set, now, caller });
        },
      },
    };
  });
}

/** Rejects if a restored route now belongs to another organisation, or the caller may not write a restored name. */
async function refuseRestoring(
  deployed: readonly Deployed[],
  {
    store,
    changes,
    set,
    caller,
  }: {
    readonly store: ManagementStore;
    readonly changes: Changes;
    readonly set: StoredApis;
    readonly caller: RestCaller;
  },
): Promise<void> {
  for (const { id, version } of deployed) {
    const former = await store.read((connection) =>
      connection
        .selectFrom("management_versions")
        .select(["definition as text", "format", "org_id as organisation", "name"])
        .where("api_id", "=", id)
        .where("version", "=", version)
        .executeTakeFirstOrThrow(),
    );
    refuseUnlessMay(caller, { id, name: former.name });
    await changes.refuseTakenPlace(id, former, set);
  }
}

interface Restoring {
  readonly set: StoredApis;
  readonly now: string;
  readonly caller: RestCaller;
}

async function restore(
  connection: ManagementTransaction,
  { id, version }: Deployed,
  { set, now, caller }: Restoring,
): Promise<void> {
  const former = await connection
    .selectFrom("management_versions")
    .selectAll()
    .where("api_id", "=", id)
    .where("version", "=", version)
    .executeTakeFirstOrThrow();
  const present = set.members.find((each) => each.id === id);
  if (present?.digest === former.digest && present.format === former.format) return;
  const { newest } = await connection
    .selectFrom("management_versions")
    .select(({ fn }) => fn.max("version").as("newest"))
    .where("api_id", "=", id)
    .executeTakeFirstOrThrow();
  const next = {
    ...former,
    version: Number(newest) + 1,
    created_at: now,
    created_by: caller.name ?? "unknown",
  };
  await connection.insertInto("management_versions").values(next).execute();
  const columns = { ...columnsOf(next), updated_at: now };
  if (present !== undefined) {
    await connection.updateTable("management_apis").set(columns).where("id", "=", id).execute();
    return;
  }
  const { org_id, store_id } = former;
  await connection
    .insertInto("management_apis")
    .values({ id, org_id, store_id, created_at: now, stopped: "[]", restarts: "{}", ...columns })
    .execute();
}

function columnsOf({ name, listen_path, active, format, version, digest }: VersionTable) {
  return { name, listen_path, active, format, version, digest };
}
