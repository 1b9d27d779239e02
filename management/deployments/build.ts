// A set of APIs to the modules of a deployment: what was compiled before is used again.

import { hash } from "node:crypto";
import { GatewayError } from "../../runtime/errors.ts";
import type { ApiArtifact, ModuleReference } from "../../runtime/gateway/artifact/manifest.ts";
import { type ApiSet, readTexts, type SetMember } from "../definitions/apis.ts";
import { type Building, type BuiltApi, checkDefinition, sourceOf } from "../definitions/check.ts";
import type { ManagementStore } from "../store/tables.ts";

/** An API that could not be compiled, and why. */
export interface Failure {
  readonly id: string;
  readonly message: string;
}

/** What belongs to the process. */
export interface BuiltProcess {
  readonly reference: ModuleReference;
  readonly code: string;
}

/** The modules of a deployment. */
export interface BuiltSet {
  readonly apis: readonly ApiArtifact[];
  /** Those that were compiled anew. */
  readonly fresh: readonly BuiltApi[];
  readonly failures: readonly Failure[];
}

/** Compiles what belongs to the process. Its settings were found right when the service began. */
export async function buildProcess(building: Building): Promise<BuiltProcess> {
  const { process } = await building.compiler.compile({ kind: "process" });
  if (process === undefined) throw new TypeError("the settings of the gateways do not compile any more");
  const { code, imports } = process;
  return { reference: { module: hash("sha256", code, "hex"), imports }, code };
}

/**
 * The modules of all APIs that are served, in the order of the set. One that does not compile any more stays what it was
 * in `before`, and is reported; one that reads or claims what its organisation may not is left out.
 */
export async function buildSet(
  building: Building,
  { members }: ApiSet,
  before: ReadonlyMap<string, ApiArtifact>,
): Promise<BuiltSet> {
  const served = members.filter(({ active }) => active === 1);
  const kept = await readArtifacts(
    building.store,
    served.map((each) => sourceOf(building, each)),
  );
  const apis: ApiArtifact[] = [];
  const fresh: BuiltApi[] = [];
  const failures: Failure[] = [];
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
      // What may not be served any more does not go on.
      if (former !== undefined && !isForbidden(error)) apis.push(asOperated(former, member));
    }
  }
  return { apis, fresh, failures };
}

/** Whether a definition was refused for what it takes from others, rather than for a mistake. */
function isForbidden({ status, details }: GatewayError): boolean {
  const errors: readonly unknown[] = Array.isArray(details.errors) ? details.errors : [];
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
  // It was deleted or replaced meanwhile, so that another deployment is to come.
  if (text === undefined) return undefined;
  const { id, format, org_id: organisation } = member;
  // Of two organisations that have one place, the one that was there first keeps it.
  const earlier = members.slice(0, members.indexOf(member));
  const others = members.filter(
    (each) => each !== member && (each.org_id === organisation || earlier.includes(each)),
  );
  return (await checkDefinition(building, id, { text, format, organisation }, others)).built;
}

/** With whose it is, also where it was compiled before that was noted, and what operators want of its streams. */
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

/** What was compiled of these sources, as far as its module is there. */
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
