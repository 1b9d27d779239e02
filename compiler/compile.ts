// The pipeline that compiles documents to diagnostics and a gateway: source → parse → check → plan → optimise →
// emit → link.

import type { DescribeOptions } from "./asyncapi/describe-api.ts";
import type { AsyncApiDocument } from "./asyncapi/document.ts";
import { checkSet } from "./check/check-set.ts";
import type { CheckedSet } from "./check/checked-set.ts";
import { readLevels } from "./check/document/levels.ts";
import type { Tenant } from "./check/document/tenant.ts";
import { type CheckedMapping, hasSameCalls, isWhole } from "./check/mapping/checked.ts";
import type { CheckObserver } from "./check/observer.ts";
import type { Diagnostic } from "./diagnostics/diagnostic.ts";
import { invariant } from "./diagnostics/invariant.ts";
import { applyLevels, type Leveled } from "./diagnostics/levels.ts";
import { hideSecretsIn } from "./diagnostics/secrets/without-secrets.ts";
import { createSink, type Sink } from "./diagnostics/sink.ts";
import { evaluator, inspectOptions } from "./evaluate/evaluate-method.ts";
import { resolveAll, type SetModel } from "./model/set.ts";
import { once } from "./model/written.ts";
import { dialectLoader } from "./packages/load-dialect.ts";
import { PackageProblem } from "./packages/package-problem.ts";
import type { CheckMemory } from "./parse/check-memory.ts";
import { type FileSystem, nodeFileSystem } from "./parse/document/file-system.ts";
import { maximumBytes } from "./parse/document/limits.ts";
import { type ReadSetOptions, readApiSet } from "./parse/document/read-api-set.ts";
import { isSkimmed } from "./parse/json/skim-json.ts";
import { readImports } from "./parse/mapping-files.ts";
import { mappingTexts, readSuppressions } from "./parse/suppressions/read-suppressions.ts";
import { listComponentRoutes } from "./plan/callers.ts";
import type { MappingMode, MappingPlan } from "./plan/mapping/ir.ts";
import { planMapping, planQuery, planTemplate } from "./plan/mapping/plan-mapping.ts";
import type { Plan } from "./plan/plan.ts";
import type { ScriptPlanner } from "./plan/plan-field.ts";
import { planSet } from "./plan/plan-set.ts";
import type { SourceFile } from "./source/source.ts";
import { readTemplates } from "./templates/read-templates.ts";
import type { Topology } from "./topology/describe-topology.ts";
import { coreDialect, type Dialect } from "./trees/dialect.ts";
import { fieldsOf } from "./trees/fields.ts";

export { maximumBytes } from "./parse/document/limits.ts";

export interface CheckOptions {
  /**
   * The environment for fields that decide what is built; that of this process by default. Documents whose references
   * may not read files never read it.
   */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The file system of documents; the machine's files by default. */
  readonly fileSystem?: FileSystem;
  /**
   * The file system of the packages that a `gateway.yaml` names; by default that of documents, relative to the file.
   */
  readonly packages?: {
    readonly fileSystem: FileSystem;
    /** The path of the `gateway.yaml` in that file system. */
    readonly location?: string;
  };
  /** The size of the largest document in bytes; 16 MiB by default. */
  readonly maximumBytes?: number;
  /** False for documents that came over the network: their references may not read files. */
  readonly allowFileReferences?: boolean;
  /**
   * The owner of the documents if gateways serve several organisations. Without it they may read everything they name.
   */
  readonly tenant?: Tenant;
  /** Results of earlier checks of the same documents, for editors. */
  readonly memory?: CheckMemory;
  /** Receives the results of checking scripts, for editors. */
  readonly observer?: CheckObserver;
}

export interface CompileOptions extends CheckOptions {
  /** The folder with `runtime/`, whose `node_modules` contains the runtime's packages. */
  readonly packageRoot: string;
  /** Whether the bundle is minified. */
  readonly minify?: boolean;
  /** Whether to build the gateway as a program for an executable as well. */
  readonly executable?: boolean;
}

/** The diagnostics, reported and suppressed. */
export interface CheckResult extends Leveled {
  /** The facts for planning; absent if there are errors. */
  readonly checked?: CheckedSet;
}

export interface PlanResult extends CheckResult {
  readonly plan?: Plan;
}

export interface CompileResult extends PlanResult {
  /** The files to write, by name: `gateway.ts`, `types.ts`, `gateway.mjs`, `gateway.mjs.map`, `manifest.json`. */
  readonly files?: ReadonlyMap<string, string>;
  /** The number of bytes that each module contributes to `gateway.mjs`. */
  readonly modules?: ReadonlyMap<string, number>;
  /** A CommonJS program that serves, if `executable` is set. */
  readonly program?: string;
}

/**
 * Adds the environment and the loader of the packages that a set names to options. Only for settings whose author may
 * run code here.
 */
export function withPackages(options: CheckOptions): ReadSetOptions {
  const { fileSystem = nodeFileSystem, packages, environment = process.env } = options;
  const loadDialect = dialectLoader(packages?.fileSystem ?? fileSystem, packages?.location);
  return { ...options, environment, loadDialect, readTemplates };
}

/** Checks documents, or the set that a `gateway.yaml` names. */
export async function checkDocuments(
  paths: readonly string[],
  options: CheckOptions = {},
): Promise<CheckResult> {
  const sink = createSink();
  const set = await readApiSet(paths, withPackages(options), sink.report);
  if (set === undefined) return applyLevels(sink.reported(), new Map(), []);
  const model = resolveAll(set);
  return checkRead(model, model, sink, options);
}

/** Reads the dialect of a set, and reports problems in its settings. Does not read its documents. */
export async function readDialect(
  settings: string,
  options: CheckOptions = {},
): Promise<Leveled & { readonly dialect: Dialect }> {
  const sink = createSink();
  const set = await readApiSet([settings], { ...withPackages(options), apis: [] }, sink.report);
  return { ...applyLevels(sink.reported(), new Map(), []), dialect: set?.dialect ?? coreDialect };
}

/**
 * Checks a set that was read. APIs that are only in `whole` are checked for conflicts only. `belongs`: whether a
 * diagnostic is reported.
 */
export async function checkRead(
  set: SetModel,
  whole: SetModel,
  sink: Sink,
  options: CheckOptions,
  belongs: (diagnostic: Diagnostic) => boolean = () => true,
): Promise<CheckResult> {
  const reading = {
    fileSystem: options.fileSystem ?? nodeFileSystem,
    limit: options.maximumBytes ?? maximumBytes,
  };
  const imports = await readImports(fieldsOf(set), reading, sink.report);
  const mappings = [...mappingTexts(fieldsOf(set)), ...imports.mappings.map(({ source }) => source)];
  const suppressions = readSuppressions({ documents: set.documents, mappings }, sink.report);
  const levels = readLevels(set, sink.report);
  const { tenant, observer, memory } = options;
  // Ignores results of earlier checks if mappings are imported, because each check reads them from scratch, or if
  // references of large documents are followed, and reported, on demand.
  const isRecalled = imports.mappings.length === 0 && !set.apis.some(({ root }) => isSkimmed(root));
  const results = isRecalled ? memory?.results : undefined;
  const scope = {
    load: imports.find,
    imported: imports.mappings,
    evaluate: evaluator,
    inspect: inspectOptions,
    tenant,
    observer,
    memory: results,
  };
  const checked = orReport(() => checkSet(set, scope, sink.report, whole), sink);
  const leveled = applyLevels(sink.reported().filter(belongs), levels, suppressions);
  return leveled.counts.error > 0 || checked === undefined ? leveled : { ...leveled, checked };
}

/** Returns the result of `work`; `undefined` after a report if a function of a package failed in it. */
function orReport<T>(work: () => T, { report }: Sink): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof PackageProblem)) throw error;
    error.reportAt(report);
    return undefined;
  }
}

/** Checks documents and plans their gateway. */
export async function planDocuments(
  paths: readonly string[],
  options: CheckOptions = {},
): Promise<PlanResult> {
  return planChecked(await checkDocuments(paths, options));
}

/** Plans a checked set if it has no errors. */
export function planChecked(result: CheckResult): PlanResult {
  const { checked } = result;
  if (checked === undefined) return result;
  const sink = createSink();
  const plan = orReport(() => planSet(checked, planScripts(checked)), sink);
  return plan === undefined ? applyLevels(sink.reported(), new Map(), []) : { ...result, plan };
}

/**
 * Describes the client side of the streams of one API as an AsyncAPI 3.1 document in the form of data. The same
 * document always results in the same description.
 */
export async function describeClients(
  checked: CheckedSet,
  api: string,
  options: DescribeOptions = {},
): Promise<AsyncApiDocument> {
  const document = checked.set.apis.find(({ id }) => id === api);
  invariant(document !== undefined, "the API is one of the set");
  const { describeApi } = await import("./asyncapi/describe-api.ts");
  return describeApi(document, checked, options);
}

/** Returns a planner for the scripts of a checked set. */
export function planScripts(checked: CheckedSet): ScriptPlanner {
  const planOnce = createMappingPlanner();
  return {
    mapping: (mapping, mode = "mapping") => planOnce(checked.mapping(mapping), mode),
    query: (query) => planQuery(checked.query(query)),
    template: (whole, template) => planTemplate({ ...checked.template(whole), template }),
    links: (component) => checked.links(component),
  };
}

/**
 * Returns a `planMapping` with which mappings of a file that have the same text share everything in their plans but the
 * span. Later phases share what they make of it.
 */
function createMappingPlanner(): (checked: CheckedMapping, mode: MappingMode) => MappingPlan {
  interface Known {
    readonly checked: CheckedMapping;
    readonly plan: MappingPlan;
  }
  const known = new Map<SourceFile, Map<string, Known>>();
  return (checked, mode) => {
    // Plans of others depend on files that they import, too.
    if (!isWhole(checked)) return planMapping(checked, mode);
    const { text, file } = checked.mapping.source;
    const ofFile = known.get(file) ?? new Map<string, Known>();
    known.set(file, ofFile);
    const key = `${mode} ${text}`;
    const before = ofFile.get(key);
    if (before !== undefined && hasSameCalls(before.checked, checked))
      return { ...before.plan, span: checked.mapping.span };
    const plan = planMapping(checked, mode);
    ofFile.set(key, { checked, plan });
    return plan;
  };
}

/** Returns the graphs of the streams of one API by name; empty if the API does not exist. */
export async function drawStreams(checked: CheckedSet, api: string): Promise<ReadonlyMap<string, Topology>> {
  const { describeTopology } = await import("./topology/describe-topology.ts");
  const found = checked.set.apis.find(({ id }) => id === api);
  if (found === undefined) return new Map();
  const routes = listComponentRoutes(found);
  return new Map(found.streams.map((stream) => [stream.name, describeTopology(stream, routes)]));
}

/** Compiles documents into the files of a gateway. The same input always results in the same bytes. */
export async function compileDocuments(
  paths: readonly string[],
  options: CompileOptions,
): Promise<CompileResult> {
  const result = await planDocuments(paths, options);
  if (result.plan === undefined) return result;
  // Imported lazily: checks do not need these modules.
  const { emitGateway } = await import("./emit/gateway.ts");
  const { emitManifest } = await import("./emit/manifest.ts");
  const { createBillOfMaterials } = await import("./link/bill-of-materials.ts");
  const { linkGateway, linkProgram } = await import("./link/link.ts");
  const { renderLicences } = await import("./link/notices.ts");
  const { optimisePlan } = await import("./optimise/index.ts");
  const { plan } = result;
  const emitted = await emitGateway(optimisePlan(plan));
  const documents = result.checked?.files ?? [];
  const hideSecrets = hideSecretsIn(documents);
  const quoteSource = (text: string) => JSON.stringify(hideSecrets(text));
  const quotedGateway = once(() => quoteSource(emitted.gateway));
  const packages = result.checked?.set.dialect.packages ?? [];
  const digests = new Map<string, string>();
  let types = "";
  let manifest: ReturnType<typeof emitManifest> | undefined;
  const linked = await linkGateway(emitted, {
    ...options,
    quoteSource: (text) => (text === emitted.gateway ? quotedGateway() : quoteSource(text)),
    packages,
    // esbuild works in a process of its own: meanwhile, this thread does what does not need the bundle.
    meanwhile: () =>
      inTurns([
        ...documents.map((document) => () => void hideSecretsIn([document])("")),
        quotedGateway,
        () => {
          manifest = emitManifest(plan);
        },
        async () => void digests.set("gateway.ts", await digestOf(emitted.gateway)),
        async () => {
          types = await emitted.types();
        },
        async () => void digests.set("types.ts", await digestOf(types)),
      ]),
  });
  const program =
    options.executable === true ? await linkProgram(emitted, { ...options, packages }) : undefined;
  const files = new Map([
    ["gateway.ts", emitted.gateway],
    ["types.ts", types],
    ...(emitted.validators === undefined ? [] : [["validators.ts", emitted.validators] as const]),
    ["gateway.mjs", linked.code],
    ["gateway.mjs.map", linked.map],
    ["third-party-licenses.txt", `${renderLicences(linked.packages)}\n`],
    ["sbom.cdx.json", createBillOfMaterials(linked.packages)],
  ]);
  const written: Record<string, string> = {};
  for (const [name, text] of files) written[name] = digests.get(name) ?? (await digestOf(text));
  files.set("manifest.json", `${JSON.stringify({ ...manifest, files: written }, undefined, 2)}\n`);
  return { ...result, files, modules: linked.modules, ...(program !== undefined && { program }) };
}

/** Runs steps one after the other, and lets other work of this thread run between them. */
async function inTurns(steps: readonly (() => unknown)[]): Promise<void> {
  const { setImmediate } = await import("node:timers/promises");
  for (const step of steps) {
    await step();
    await setImmediate();
  }
}

async function digestOf(text: string): Promise<string> {
  // Imported lazily: no check needs it, and it is a large part of Node.
  const { createHash } = await import("node:crypto");
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
