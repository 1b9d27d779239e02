// The pipeline: documents in, diagnostics and a gateway out. source → parse → check → plan →
// optimise → emit → link.

import type { DescribeOptions } from "./asyncapi/describe-api.ts";
import type { AsyncApiDocument } from "./asyncapi/document.ts";
import { checkSet } from "./check/check-set.ts";
import type { CheckedSet } from "./check/checked-set.ts";
import { readLevels } from "./check/document/levels.ts";
import type { Tenant } from "./check/document/tenant.ts";
import type { CheckObserver } from "./check/observer.ts";
import type { Diagnostic } from "./diagnostics/diagnostic.ts";
import { invariant } from "./diagnostics/invariant.ts";
import { applyLevels, type Leveled } from "./diagnostics/levels.ts";
import { hideSecretsIn } from "./diagnostics/secrets/without-secrets.ts";
import { createSink, type Sink } from "./diagnostics/sink.ts";
import { evaluateMethod, inspectOptions } from "./evaluate/evaluate-method.ts";
import { resolveAll, type SetModel } from "./model/set.ts";
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
import { planMapping, planQuery, planTemplate } from "./plan/mapping/plan-mapping.ts";
import type { Plan } from "./plan/plan.ts";
import type { ScriptPlanner } from "./plan/plan-field.ts";
import { planSet } from "./plan/plan-set.ts";
import { readTemplates } from "./templates/read-templates.ts";
import type { Topology } from "./topology/describe-topology.ts";
import { coreDialect, type Dialect } from "./trees/dialect.ts";
import { fieldsOf } from "./trees/fields.ts";

export interface CheckOptions {
  /**
   * The environment that documents read where a field decides what is built; that of this process by default. Documents whose
   * references may not read files never read it.
   */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Where documents are read from; the machine's files by default. */
  readonly fileSystem?: FileSystem;
  /** Where packages are read from that a `gateway.yaml` names; by default as documents are, from where the file lies. */
  readonly packages?: {
    readonly fileSystem: FileSystem;
    /** The path of the `gateway.yaml` in that file system. */
    readonly location?: string;
  };
  /** Largest document in bytes; 16 MiB by default. */
  readonly maximumBytes?: number;
  /** False for documents that came over the network: their references may not read files. */
  readonly allowFileReferences?: boolean;
  /** Whose documents they are, where gateways serve several organisations; without it they may read what they name. */
  readonly tenant?: Tenant;
  /** What earlier checks of the same documents found out, for editors. */
  readonly memory?: CheckMemory;
  /** Gets to know what the check finds out of scripts, for editors. */
  readonly observer?: CheckObserver;
}

export interface CompileOptions extends CheckOptions {
  /** Folder that holds `runtime/` and whose `node_modules` has the runtime's packages. */
  readonly packageRoot: string;
  /** Shortens the bundle. */
  readonly minify?: boolean;
  /** Whether the gateway is wanted as a program for an executable, too. */
  readonly executable?: boolean;
}

/** What is wrong, and what was suppressed. */
export interface CheckResult extends Leveled {
  /** The facts for planning; absent when anything was an error. */
  readonly checked?: CheckedSet;
}

export interface PlanResult extends CheckResult {
  readonly plan?: Plan;
}

export interface CompileResult extends PlanResult {
  /** What to write, by file name: `gateway.ts`, `types.ts`, `gateway.mjs`, `gateway.mjs.map`, `manifest.json`. */
  readonly files?: ReadonlyMap<string, string>;
  /** Bytes that each module contributes to `gateway.mjs`. */
  readonly modules?: ReadonlyMap<string, number>;
  /** A CommonJS program that serves, where it was asked for. */
  readonly program?: string;
}

/**
 * The options with what loads the packages that a set names, and with the environment: only for settings whose author may run
 * code here.
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

/** What the documents of a set may use, and what is wrong with its settings. The documents are not looked at. */
export async function readDialect(
  settings: string,
  options: CheckOptions = {},
): Promise<Leveled & { readonly dialect: Dialect }> {
  const sink = createSink();
  const set = await readApiSet([settings], { ...withPackages(options), apis: [] }, sink.report);
  return { ...applyLevels(sink.reported(), new Map(), []), dialect: set?.dialect ?? coreDialect };
}

/**
 * Checks a set that was read. Of its APIs those in `whole` beside them are only looked at for how all of them go together,
 * and `belongs` says which of the diagnostics are reported.
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
  // Imported mappings are read anew by each check, and references of large documents are followed, and reported, on demand.
  const isRecalled = imports.mappings.length === 0 && !set.apis.some(({ root }) => isSkimmed(root));
  const results = isRecalled ? memory?.results : undefined;
  const scope = {
    load: imports.find,
    evaluate: evaluateMethod,
    inspect: inspectOptions,
    tenant,
    observer,
    memory: results,
  };
  const checked = orReport(() => checkSet(set, scope, sink.report, whole), sink);
  const leveled = applyLevels(sink.reported().filter(belongs), levels, suppressions);
  return leveled.counts.error > 0 || checked === undefined ? leveled : { ...leveled, checked };
}

/** What `work` gives; `undefined` after reporting that a function of a package failed in it. */
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

/** Plans what was checked, where nothing of it was an error. */
export function planChecked(result: CheckResult): PlanResult {
  const { checked } = result;
  if (checked === undefined) return result;
  const sink = createSink();
  const plan = orReport(() => planSet(checked, planScripts(checked)), sink);
  return plan === undefined ? applyLevels(sink.reported(), new Map(), []) : { ...result, plan };
}

/** What clients see of the streams of one API: an AsyncAPI 3.1 document as data. Same document, same description. */
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

/** How the scripts of a checked set are planned. */
export function planScripts(checked: CheckedSet): ScriptPlanner {
  return {
    mapping: (mapping, mode) => planMapping(checked.mapping(mapping), mode),
    query: (query) => planQuery(checked.query(query)),
    template: (whole, template) => planTemplate({ ...checked.template(whole), template }),
  };
}

/** The graphs of the streams of one API, by their names; what is not there gives none. */
export async function drawStreams(checked: CheckedSet, api: string): Promise<ReadonlyMap<string, Topology>> {
  const { describeTopology } = await import("./topology/describe-topology.ts");
  const found = checked.set.apis.find(({ id }) => id === api);
  if (found === undefined) return new Map();
  const routes = listComponentRoutes(found);
  return new Map(found.streams.map((stream) => [stream.name, describeTopology(stream, routes)]));
}

/** Compiles documents into the files of a gateway. Same input, same bytes. */
export async function compileDocuments(
  paths: readonly string[],
  options: CompileOptions,
): Promise<CompileResult> {
  const result = await planDocuments(paths, options);
  if (result.plan === undefined) return result;
  // Checking never pays for what only building needs.
  const { emitGateway } = await import("./emit/gateway.ts");
  const { emitManifest } = await import("./emit/manifest.ts");
  const { createBillOfMaterials } = await import("./link/bill-of-materials.ts");
  const { linkGateway, linkProgram } = await import("./link/link.ts");
  const { renderLicences } = await import("./link/notices.ts");
  const { optimisePlan } = await import("./optimise/index.ts");
  const emitted = await emitGateway(optimisePlan(result.plan));
  const written = result.checked?.set.documents.map(({ file }) => file) ?? [];
  const packages = result.checked?.set.dialect.packages ?? [];
  const linked = await linkGateway(emitted, { ...options, hideSecrets: hideSecretsIn(written), packages });
  const program =
    options.executable === true ? await linkProgram(emitted, { ...options, packages }) : undefined;
  const files = new Map([
    ["gateway.ts", emitted.gateway],
    ["types.ts", emitted.types],
    ...(emitted.validators === undefined ? [] : [["validators.ts", emitted.validators] as const]),
    ["gateway.mjs", linked.code],
    ["gateway.mjs.map", linked.map],
    ["third-party-licenses.txt", `${renderLicences(linked.packages)}\n`],
    ["sbom.cdx.json", createBillOfMaterials(linked.packages)],
  ]);
  const digests = Object.fromEntries(
    await Promise.all([...files].map(async ([name, text]) => [name, await digestOf(text)])),
  );
  files.set(
    "manifest.json",
    `${JSON.stringify({ ...emitManifest(result.plan), files: digests }, undefined, 2)}\n`,
  );
  return { ...result, files, modules: linked.modules, ...(program !== undefined && { program }) };
}

async function digestOf(text: string): Promise<string> {
  // Loaded here, as no check needs it and it is a large part of Node.
  const { createHash } = await import("node:crypto");
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
