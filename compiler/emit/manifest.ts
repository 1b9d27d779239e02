// What a build holds, for programs: `manifest.json`.

import type { AccessPlan, ApiPlan, ComponentPlan, Plan, RoutePlan } from "../plan/plan.ts";
import { type EnvironmentRead, readBySettings, readSecrets, readVariables } from "./environment-reads.ts";
import { valuesOfPlan } from "./plan-values.ts";

/** The manifest without what only the linked files tell. */
export interface Manifest {
  readonly apis: readonly ManifestApi[];
  /** Connectors by name, in order. */
  readonly connectors: readonly string[];
  /**
   * Environment variables the gateway reads for its documents and settings, by name. Those that any gateway reads, such as
   * `GW_LISTEN`, and those that OpenTelemetry defines are not among them.
   */
  readonly environment: readonly EnvironmentRead[];
  /** Mounted secrets it reads. */
  readonly secretFiles: readonly string[];
}

interface ManifestApi {
  readonly id: string;
  readonly name?: string;
  readonly listenPath: string;
  readonly internal?: boolean;
  readonly source: string;
  /** Who may call, besides what `callers` of routes says. */
  readonly access: AccessPlan & { readonly protections: readonly string[] };
  readonly streams: readonly {
    readonly name: string;
    readonly input: string;
    readonly output: string;
    /** Variables of requests; each set of their values has an instance of the stream. */
    readonly variables?: readonly string[];
    readonly routes: readonly RoutePlan[];
  }[];
}

/** Describes a plan. */
export function emitManifest(plan: Plan): Manifest {
  const values = valuesOfPlan(plan);
  const variables = new Map<string, boolean>();
  for (const { name, required } of [...readVariables(values), ...readBySettings(plan.settings)])
    variables.set(name, (variables.get(name) ?? false) || required);
  const ends = values.filter(
    (value): value is ComponentPlan =>
      value.kind === "Component" && (value.role === "input" || value.role === "output"),
  );
  return {
    apis: plan.apis.map(describeApi),
    connectors: [...new Set(ends.map(({ name }) => name))].sort(),
    environment: [...variables.entries()].sort().map(([name, required]) => ({ name, required })),
    secretFiles: [...new Set(readSecrets(values))].sort(),
  };
}

function describeApi(api: ApiPlan): ManifestApi {
  return {
    id: api.id,
    ...(api.name === undefined ? {} : { name: api.name }),
    listenPath: api.listenPath,
    ...(api.internal === undefined ? {} : { internal: api.internal }),
    source: api.file,
    access: { ...api.access, protections: api.protections.map(({ name }) => name) },
    streams: api.streams.map(({ name, input, output, variables, routes }) => ({
      name,
      input: input.name,
      output: output.name,
      ...(variables.length === 0 ? {} : { variables }),
      routes,
    })),
  };
}
