// Builds the modules of a deployment from a set of APIs. Reuses modules that were compiled before.

import { hash } from "node:crypto";
import { GatewayError } from "../../runtime/errors.ts";
import type { ApiArtifact, ModuleReference } from "../../runtime/gateway/artifact/manifest.ts";
import { readTexts, type SetMember, type StoredApis } from "../definitions/apis.ts";
import { type Building, type BuiltApi, checkDefinition, sourceOf } from "../definitions/check.ts";
import type { ManagementStore } from "../store/tables.ts";

/** An API that could not be compiled, and the reason. */
export interface BuildFailure {
  readonly id: string;
  readonly message: string;
}

/** The module with the settings of the process. */
export interface BuiltProcess {
  readonly reference: ModuleReference;
  readonly code: string;
}

/** The modules of a deployment. */
export interface BuiltSet {
  readonly apis: readonly ApiArtifact[];
  /** The newly compiled modules. */
  readonly fresh: readonly BuiltApi[];
  readonly failures: readonly BuildFailure[];
}

/** Compiles the module with the settings of the process. The settings were validated when the service started. */
export async function buildProcess(building: Building): Promise<BuiltProcess> {
  const { process } = await building.compiler.compile({ kind: "process" });
  if (process === undefined) throw new TypeError("the settings of the gateways no longer compile");
  const { code, imports } = process;
  return { reference: { module: hash("sha256", code, "hex"), imports }, code };
}

/**
 * Returns the modules of all active APIs, in the order of the set. An API that no longer compiles keeps its module from
 * `before` and is reported. One that reads or claims something that its organisation may not is left out.
 */
export async function buildSet(
  building: Building,
  { members }: StoredApis,
  before: ReadonlyMap<string, ApiArtifact>,
): Promise<BuiltSet> {
  const served = members.filter(({ active }) => active === 1);
  const kept = await readArtifacts(
    building.store,
    served.map((each) => sourceOf(building, each)),
  );
  const apis: ApiArtifact[] = [];
  const fresh: BuiltApi[] = [];
  const failures: BuildFailure[] = [];
  for (const member of served) {
    const known = kept.get(sourceOf(building, member));
    if (known !== undefined) {
      apis.push(asOperated(known, member));
      continue;
    }
    try {
      const built = await buildApi(building, member, members);
      if (built !== undefined) fresh.push(built);
      if (built !== undefined) apis.push(asOperated(built.artifact, member));
    } catch (error) {
      if (!(error instanceof GatewayError) || error.status >= 500) throw error;
      const former = before.get(member.id);
      failures.push({ id: member.id, message: error.message });
      // Do not keep serving an API that is no longer allowed.
      if (former !== undefined && !isForbidden(error)) apis.push(asOperated(former, member));
    }
  }
  return { apis, fresh, failures };
}

/** Whether a definition was refused for something that its organisation may not use, rather than for a mistake. */
function isForbidden({ status, fields }: GatewayError): boolean {
  const errors: readonly unknown[] = Array.isArray(fields.errors) ? fields.errors : [];
  const codes = ["GW4330", "GW4331", "GW4332", "GW4333", "GW4334", "GW4336", "GW4337"];
  return (
    status === 403 ||
    errors.some(
      (each) =>
        typeof each === "object" && each !== null && "code" in each && codes.includes(String(each.code)),
    )
  );
}

async function buildApi(
  building: Building,
  member: SetMember,
  members: readonly SetMember[],
): Promise<BuiltApi | undefined> {
  const text = (await readTexts(building.store, [member.id])).get(member.id);
  // The API was deleted or replaced in the meantime, so another deployment will follow.
  if (text === undefined) return undefined;
  const { id, format, org_id: organisation } = member;
  // If two organisations have the same route, the one that had it first keeps it.
  const earlier = members.slice(0, members.indexOf(member));
  const others = members.filter(
    (each) => each !== member && (each.org_id === organisation || earlier.includes(each)),
  );
  return (await checkDefinition(building, id, { text, format, organisation }, others)).built;
}

/** Adds the current owner and the operator's commands for the API's streams. Older artifacts contain no owner. */
function asOperated(
  artifact: BuiltApi["artifact"] | ApiArtifact,
  { org_id: organisation, stopped, restarts }: SetMember,
): ApiArtifact {
  const { stopped: _, restarts: __, ...compiled }: ApiArtifact = artifact;
  const named: readonly string[] = JSON.parse(stopped);
  const counts: Readonly<Record<string, number>> = JSON.parse(restarts);
  return {
    ...compiled,
    organisation,
    ...(named.length > 0 && { stopped: named }),
    ...(Object.keys(counts).length > 0 && { restarts: counts }),
  };
}

/** Returns the artifacts for these sources whose modules still exist. */
async function readArtifacts(
  store: ManagementStore,
  sources: readonly string[],
): Promise<ReadonlyMap<string, BuiltApi["artifact"]>> {
  if (sources.length === 0) return new Map();
  const rows = await store.read((connection) =>
    connection
      .selectFrom("management_artifacts as artifact")
      .innerJoin("management_blobs as blob", "blob.digest", "artifact.module")
      .select(["artifact.source", "artifact.artifact"])
      .where("artifact.source", "in", [...sources])
      .execute(),
  );
  return new Map(rows.map(({ source, artifact }) => [source, JSON.parse(artifact)]));
}
