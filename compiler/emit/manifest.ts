// What a build holds, for programs: `manifest.json`.

import type { ApiPlan, Plan, RoutePlan, ValuePlan } from "../plan/plan.ts";
import { valuesWithin } from "../plan/values.ts";

/** The manifest without what only the linked files tell. */
export interface Manifest {
  readonly apis: readonly ManifestApi[];
  /** Connectors by name, in order. */
  readonly connectors: readonly string[];
  /** Environment variables the gateway reads for its documents, by name; `required` ones have no default. */
  readonly environment: readonly { readonly name: string; readonly required: boolean }[];
  /** Mounted secrets it reads. */
  readonly secretFiles: readonly string[];
}

interface ManifestApi {
  readonly id: string;
  readonly name?: string;
  readonly listenPath: string;
  readonly internal?: boolean;
  readonly source: string;
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
  const exporters = plan.settings.analytics.exporters.map(({ options }) => options);
  const values = [...exporters, ...plan.apis.flatMap(valuesOf)];
  const variables = new Map<string, boolean>();
  const files = new Set<string>();
  const connectors = new Set<string>();
  for (const value of values.flatMap((each) => [...valuesWithin(each)])) {
    if (value.kind === "Component" && (value.role === "input" || value.role === "output"))
      connectors.add(value.name);
    if (value.kind !== "Environment") continue;
    for (const part of value.parts) {
      if (part.kind === "File") files.add(part.path);
      if (part.kind === "Variable") {
        variables.set(part.name, (variables.get(part.name) ?? false) || part.fallback === undefined);
      }
    }
  }
  return {
    apis: plan.apis.map(describeApi),
    connectors: [...connectors].sort(),
    environment: [...variables.entries()].sort().map(([name, required]) => ({ name, required })),
    secretFiles: [...files].sort(),
  };
}

function describeApi(api: ApiPlan): ManifestApi {
  return {
    id: api.id,
    ...(api.name === undefined ? {} : { name: api.name }),
    listenPath: api.listenPath,
    ...(api.internal === undefined ? {} : { internal: api.internal }),
    source: api.file,
    streams: api.streams.map(({ name, input, output, variables, routes }) => ({
      name,
      input: input.name,
      output: output.name,
      ...(variables.length === 0 ? {} : { variables }),
      routes,
    })),
  };
}

function valuesOf(api: ApiPlan): readonly ValuePlan[] {
  const upstream = api.upstream === undefined ? [] : [api.upstream];
  const streams = api.streams.flatMap(
    ({ input, pipeline, output, errorHandling, resources }): ValuePlan[] => {
      const shared = resources.map(({ component }) => component);
      return [input, ...pipeline, output, ...(errorHandling === undefined ? [] : [errorHandling]), ...shared];
    },
  );
  return [...upstream, ...(api.host === undefined ? [] : [api.host]), ...streams];
}
