// Processors, as trees, to processors of this process: checked, planned and emitted as those of a gateway.

import { readFileSync } from "node:fs";
import type { Processor } from "../../runtime/component/component.ts";
import type { RateLimit, SyncCache } from "../../runtime/component/resource.ts";
import type { Environment } from "../../runtime/process/environment.ts";
import type { MemoryCacheOptions } from "../../runtime/resources/generated/memory-cache-options.ts";
import type { RedisCacheOptions } from "../../runtime/resources/generated/redis-cache-options.ts";
import type { RequestValues } from "../../runtime/stream/instances/request-values.ts";
import { documentSchemas } from "../../schemas/catalogue.ts";
import type { Schema } from "../../schemas/schema.ts";
import { checkComponent } from "../check/document/check-component.ts";
import { createInspections } from "../check/document/inspections.ts";
import type { CheckedScripts } from "../check/flow/infer-set.ts";
import { checkMapping, checkQuery, checkTemplate } from "../check/mapping/check.ts";
import type {
  CheckedMapping,
  CheckedQuery,
  CheckedTemplate,
  MappingScope,
} from "../check/mapping/checked.ts";
import { cachesOf, checkResources } from "../check/resources.ts";
import { invariant } from "../diagnostics/invariant.ts";
import type { Sink } from "../diagnostics/sink.ts";
import { block, type Code, code, fragment, hardBreak, join, list } from "../emit/code.ts";
import { createScripts } from "../emit/scripts.ts";
import { emitResources } from "../emit/shared-resources.ts";
import { emitComponent } from "../emit/value.ts";
import { evaluateCode, type Replacements } from "../evaluate/evaluate-code.ts";
import { evaluateMethod } from "../evaluate/evaluate-method.ts";
import { inspectOptions } from "../evaluate/inspect-options.ts";
import { loadRuntime } from "../evaluate/runtime-modules.ts";
import { componentsOf, declaredApart } from "../model/components.ts";
import type { FileSystem } from "../parse/document/file-system.ts";
import { findMatches } from "../parse/document/glob.ts";
import { maximumBytes } from "../parse/document/limits.ts";
import { readSourceFile } from "../parse/document/read-file.ts";
import { readImports } from "../parse/mapping-files.ts";
import { withTemplates } from "../parse/streams/component-templates.ts";
import { readComponent } from "../parse/streams/components.ts";
import { createResources } from "../parse/streams/resources.ts";
import { withSchemaFiles } from "../parse/streams/schema-files.ts";
import { planMapping, planQuery, planTemplate } from "../plan/mapping/plan-mapping.ts";
import type { ComponentPlan, ResourcePlan } from "../plan/plan.ts";
import { planComponent, type ScriptPlanner } from "../plan/plan-field.ts";
import { planResources } from "../plan/resources.ts";
import type { Span } from "../source/source.ts";
import type { FieldNode, StreamNode } from "../trees/api.ts";
import type { Dialect } from "../trees/dialect.ts";
import type { DocumentNode, MapNode } from "../trees/document.ts";
import { fieldsOfStream } from "../trees/fields.ts";
import type { Expression, Mapping, Template } from "../trees/mapping.ts";
import { hostFunctions, hostReaching } from "./host-functions.ts";
import { compileNested } from "./mapping.ts";

/** What processors are made with. */
export interface ProcessorOptions {
  /** What the processors may be, and what their scripts may call. */
  readonly dialect: Dialect;
  readonly fileSystem: FileSystem;
  /** What `${NAME}` and `env()` read; a variable of requests is in it as it is written, `$gw_context.path`. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where each of the nodes stands in its document, as `pipeline.processors[0]`, for `error_source_path()`. */
  readonly places?: readonly string[];
}

/**
 * The processors that `nodes` describe; `undefined` when `sink` got errors. Opens nothing. `around` is the stream
 * they stand in, which declares what they name; caches are in memory here, and rate limits let everything through.
 */
export async function createProcessors(
  nodes: readonly DocumentNode[],
  options: ProcessorOptions,
  sink: Sink,
  around?: MapNode,
): Promise<readonly Processor[] | undefined> {
  const { fileSystem, dialect } = options;
  const { components, builtins } = dialect;
  const readOptions = { fileSystem, report: sink.report, limit: maximumBytes };
  const readFile = (path: string, named: Span) => readSourceFile(path, readOptions, named);
  const findFiles = (pattern: string) => findMatches(pattern, fileSystem);
  const files = { readFile, findFiles, report: sink.report, allowFiles: true, components };
  const written = nodes.filter((node): node is MapNode => node.kind === "map");
  const reading = { dialect, report: sink.report };
  const expanded = written.map((node) => withTemplates(node, processorSchema, reading));
  const maps = await Promise.all(expanded.map((node) => withSchemaFiles(node, files)));
  const [first] = maps;
  if (first === undefined) return [];
  const stream = withTemplates(around ?? { ...first, entries: [] }, documentSchemas.stream, reading);
  const declaring = await withSchemaFiles(stream, files);
  const { find, shared: readShared } = createResources(declaring, { components, report: sink.report });
  const placed = maps.flatMap((node, at) => {
    const component = readComponent("processor", node, {
      components,
      report: sink.report,
      findResource: find,
    });
    const place = options.places?.[at] ?? `processors[${at}]`;
    return component === undefined ? [] : [{ component, path: `${place}.${component.name}` }];
  });
  const processors = placed.map(({ component }) => component);
  const resources = readShared();
  const tested: StreamNode = { name: "tested", nameSpan: first.span, node: first, processors, resources };
  const inspections = createInspections(inspectOptions);
  for (const component of [...componentsOf(tested), ...declaredApart(tested)])
    checkComponent(component, components, inspections, sink.report);
  const fields = [...fieldsOfStream(tested)];
  const { find: load } = await readImports(fields, { fileSystem, limit: maximumBytes }, sink.report);
  const scope = {
    load,
    builtins,
    allowed: hostReaching,
    evaluate: evaluateMethod,
    caches: cachesOf(tested),
    // Which of them there are is said where the stream is checked; here they are what the environment says.
    judgeRequest: () => {},
  };
  const scripts = checkScripts(fields, scope, sink);
  checkResources({ apis: [{ streams: [tested] }] }, scripts, sink.report);
  if (sink.hasErrors()) return undefined;
  const planner = planScripts(scripts);
  const plans = placed.map(({ component, path }) => planComponent(component, path, planner));
  const shared = planResources(resources, plans, "", planner);
  return evaluateProcessors(plans, shared, first.span.source.file.path, options);
}

const processorSchema: Schema = { type: "object", "x-component": "processor" };

function checkScripts(fields: readonly FieldNode[], scope: MappingScope, { report }: Sink): CheckedScripts {
  const mappings = new Map<Mapping, CheckedMapping>();
  const queries = new Map<Expression, CheckedQuery>();
  const templates = new Map<Template, CheckedTemplate>();
  for (const field of fields) {
    if (field.kind === "Mapping") mappings.set(field.mapping, checkMapping(field.mapping, scope, report));
    if (field.kind === "Query") queries.set(field.query, checkQuery(field.query, scope, report));
    if (field.kind === "Template")
      templates.set(field.template, checkTemplate(field.template, scope, report));
  }
  return { mappings, queries, templates };
}

function planScripts({ mappings, queries, templates }: CheckedScripts): ScriptPlanner {
  return {
    mapping: (mapping, mode) => planMapping(known(mappings.get(mapping)), mode),
    query: (query) => planQuery(known(queries.get(query))),
    template: (whole, template) => planTemplate({ ...known(templates.get(whole)), template }),
  };
}

function known<T>(fact: T | undefined): T {
  invariant(fact !== undefined, "every script of the processors is checked");
  return fact;
}

/** The processors of a planned list around `resources`, as emitted; `file` is cited. Opens nothing. */
export function evaluateProcessors(
  plans: readonly ComponentPlan[],
  resources: readonly ResourcePlan[],
  file: string,
  { environment }: Pick<ProcessorOptions, "environment">,
): readonly Processor[] {
  const scripts = createScripts();
  const sharing: Code[] = [];
  // Conditions of a test may ask which processor failed as well as its scripts, so that all say who they are.
  const context = { scripts, file, sharing, namesSources: true };
  const written = plans.map((plan, at) =>
    emitComponent(plan, { ...context, names: ["", `step ${at + 1}`], path: plan.origin.path }),
  );
  const shared = emitResources(resources, { ...context, names: [], path: "" });
  const end = code`return ${list("[", written, "]")};`;
  const factory = code`const createAll = (env, request) => ${block([shared, ...sharing, end])};`;
  const declarations = join([...scripts.functions(), factory], fragment([hardBreak]));
  const fileSystem = { readFile: (path: string) => readFileSync(path) };
  // The declaration above is of exactly this shape.
  const create = evaluateCode(declarations, "createAll", {
    ...hostFunctions({ environment, fileSystem, compile: compileNested }),
    ...hostResources(),
  }) as (env: Environment, request: RequestValues) => readonly Processor[];
  const { createEnvironment } = loadRuntime("runtime/process/environment.ts");
  const env = createEnvironment(environment, (path) => readFileSync(path, "utf8"));
  return env.collect(() => create(env, requestValuesFrom(env)));
}

/** Values of requests that the environment gives, under the names that documents write. */
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

/** What to link in place of the runtime's own resources. */
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
