// Creates processors of this process from trees: they are checked, planned and emitted like those of a gateway.

import { readFileSync } from "node:fs";
import type { Processor } from "../../runtime/component/component.ts";
import type { RateLimit, SyncCache } from "../../runtime/component/resource.ts";
import type { Environment } from "../../runtime/process/environment.ts";
import type { MemoryCacheOptions } from "../../runtime/resources/generated/memory-cache-options.ts";
import type { RedisCacheOptions } from "../../runtime/resources/generated/redis-cache-options.ts";
import type { RequestValues } from "../../runtime/stream/instances/request-values.ts";
import { invariant } from "../diagnostics/invariant.ts";
import type { Sink } from "../diagnostics/sink.ts";
import { block, type Code, code, fragment, hardBreak, join, list } from "../emit/code.ts";
import { createScripts } from "../emit/scripts.ts";
import { emitResources } from "../emit/shared-resources.ts";
import { emitComponent } from "../emit/value.ts";
import { evaluateCode, type Replacements } from "../evaluate/evaluate-code.ts";
import { loadRuntime } from "../evaluate/runtime-modules.ts";
import { planMapping, planQuery, planTemplate } from "../plan/mapping/plan-mapping.ts";
import type { ComponentPlan, ResourcePlan } from "../plan/plan.ts";
import { planComponent, type ScriptPlanner } from "../plan/plan-field.ts";
import { planResources } from "../plan/resources.ts";
import type { DocumentNode, MapNode } from "../trees/document.ts";
import { type CheckedProcessors, checkProcessors, type ProcessorReading } from "./check-processors.ts";
import { hostFunctions } from "./host-functions.ts";
import { compileNested } from "./mapping.ts";

/** Options for creating processors. */
export interface ProcessorOptions extends ProcessorReading {
  /**
   * The values of `${NAME}` and `env()`. Request variables are included under their written names, such as
   * `$gw_context.path`.
   */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Creates the processors that `nodes` describe; returns `undefined` if `sink` got errors. Opens no connections.
 * `around`: the stream that contains them and declares the resources they name. Caches are in memory, and rate limits
 * never limit.
 */
export async function createProcessors(
  nodes: readonly DocumentNode[],
  options: ProcessorOptions,
  sink: Sink,
  around?: MapNode,
): Promise<readonly Processor[] | undefined> {
  const checked = await checkProcessors(nodes, options, sink, around);
  if (checked === undefined) return sink.hasErrors() ? undefined : [];
  const { placed, resources, stream } = checked;
  const planner = planScripts(checked);
  const plans = placed.map(({ component, path }) => planComponent(component, path, planner));
  const shared = planResources(resources, plans, "", planner);
  return evaluateProcessors(plans, shared, stream.node.span.source.file.path, options);
}

function planScripts({ scripts, inspections }: CheckedProcessors): ScriptPlanner {
  const { mappings, queries, templates } = scripts;
  return {
    links: inspections.links,
    mapping: (mapping, mode) => planMapping(known(mappings.get(mapping)), mode),
    query: (query) => planQuery(known(queries.get(query))),
    template: (whole, template) => planTemplate({ ...known(templates.get(whole)), template }),
  };
}

function known<T>(fact: T | undefined): T {
  invariant(fact !== undefined, "every script of the processors is checked");
  return fact;
}

/**
 * Creates the processors of a plan with `resources`, from emitted code; `file` is cited in it. Opens no connections.
 */
export function evaluateProcessors(
  plans: readonly ComponentPlan[],
  resources: readonly ResourcePlan[],
  file: string,
  { environment }: Pick<ProcessorOptions, "environment">,
): readonly Processor[] {
  const scripts = createScripts();
  const sharing: Code[] = [];
  // Conditions of a test may read which processor failed, so all processors report their names.
  const context = { scripts, file, sharing, namesSources: true };
  const written = plans.map((plan, at) =>
    emitComponent(plan, { ...context, names: ["", `step ${at + 1}`], path: plan.origin.path }),
  );
  const shared = emitResources(resources, { ...context, names: [], path: "" });
  const end = code`return ${list("[", written, "]")};`;
  const factory = code`const createAll = (env, request) => ${block([shared, ...sharing, end])};`;
  const declarations = join([...scripts.functions(), factory], fragment([hardBreak]));
  const fileSystem = { readFile: (path: string) => readFileSync(path) };
  // The declaration above has exactly this type.
  const create = evaluateCode(declarations, "createAll", {
    ...hostFunctions({ environment, fileSystem, compile: compileNested }),
    ...hostResources(),
  }) as (env: Environment, request: RequestValues) => readonly Processor[];
  const { createEnvironment } = loadRuntime("runtime/process/environment.ts");
  const env = createEnvironment(environment, (path) => readFileSync(path, "utf8"));
  return env.collect(() => create(env, requestValuesFrom(env)));
}

/** Returns request values from the environment, under the names that documents use. */
function requestValuesFrom(env: Environment): RequestValues {
  const { readTogether } = loadRuntime("runtime/process/environment.ts");
  const written = (name: string) => `$gw_${name}`;
  return {
    text: (name, limit) => env.text(written(name), undefined, limit),
    integer: (name, limit) => env.integer(written(name), undefined, limit),
    number: (name, limit) => env.number(written(name), undefined, limit),
    boolean: (name) => env.boolean(written(name)),
    duration: (name) => env.duration(written(name)),
    item: (name, limit) => env.text(written(name), undefined, limit),
    together: readTogether,
  };
}

/** Returns the functions to link instead of the runtime's own resources. */
function hostResources(): Replacements {
  return {
    redisCache({ default_ttl }: RedisCacheOptions): SyncCache {
      const { memoryCache } = loadRuntime("runtime/resources/memory-cache.ts");
      const options: MemoryCacheOptions =
        default_ttl === undefined ? { compaction_interval: 0 } : { default_ttl };
      return memoryCache(options);
    },
    localRateLimit: (): RateLimit => noLimit,
    redisRateLimit: (): RateLimit => noLimit,
  };
}

const noLimit: RateLimit = { take: () => 0 };
