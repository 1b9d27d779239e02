// The pipeline for gateways that are updated while they serve. Compiles documents to one small module for each API and
// one for the process. The modules share the runtime of the gateway that runs them.

import { applySetRules } from "./check/document/apply-rules.ts";
import {
  type CheckOptions,
  type CheckResult,
  checkDocuments,
  checkRead,
  planChecked,
  planScripts,
  withPackages,
} from "./compile.ts";
import type { Diagnostic } from "./diagnostics/diagnostic.ts";
import { applyLevels, type Leveled } from "./diagnostics/levels.ts";
import { createSink } from "./diagnostics/sink.ts";
import type { LinkedUnit } from "./link/link-unit.ts";
import { type ApiModel, resolveApi } from "./model/api.ts";
import { resolveAll, resolveSet } from "./model/set.ts";
import { type ReadSetOptions, readApiSet, reportDuplicateIds } from "./parse/document/read-api-set.ts";
import { type CalledRoute, listCalledRoutes } from "./plan/called-routes.ts";
import { type StreamDigests, streamDigests } from "./plan/digests.ts";
import type { ApiPlan, Plan } from "./plan/plan.ts";
import { planProcess } from "./plan/plan-set.ts";
import { coreDialect, type Dialect } from "./trees/dialect.ts";

/** The module of one API, whose default export is its definition. */
export interface ApiUnit extends LinkedUnit {
  readonly id: string;
  readonly name?: string;
  readonly listenPath: string;
  /** Digests of the parts of each stream, which are equal if two versions behave the same. */
  readonly streams: Readonly<Record<string, StreamDigests>>;
}

/** The options for compiling one module of a set. */
export interface UnitOptions extends CheckOptions {
  /** The `gateway.yaml` of the set. The documents that it lists are ignored. Without it, default settings. */
  readonly settings?: string;
  /** The other documents of the set. They are checked for conflicts with this one and not compiled. */
  readonly present?: PresentDocuments;
}

/** Documents that were read. Keep them as long as their texts stay the same. */
export type PresentDocuments = readonly ApiModel[];

/** The unit is absent if there are errors, and for an API that is switched off. */
export interface UnitResult<U extends LinkedUnit> extends Leveled {
  readonly unit?: U;
}

/** The units of a whole set, absent if there are errors. */
export interface UnitsResult extends Leveled {
  readonly process?: LinkedUnit;
  readonly apis?: readonly ApiUnit[];
}

/** Reads documents to pass as `present` when others are compiled. Does not report their problems. */
export async function readPresent(
  paths: readonly string[],
  options: Omit<UnitOptions, "present"> = {},
): Promise<PresentDocuments> {
  const { settings } = options;
  const named = settings === undefined ? paths : [settings];
  const set = await readApiSet(named, { ...readingOf(options), apis: paths }, createSink().report);
  return (set?.apis ?? []).map(resolveApi);
}

/** Only settings load packages: a document that is compiled alone runs no code, whatever its file name. */
function readingOf(options: UnitOptions): ReadSetOptions {
  return options.settings === undefined ? options : withPackages(options);
}

/**
 * Compiles one document. Reports its problems, errors in the settings, and conflicts with the other documents. The same
 * input always results in the same module. Moved lines change no digest.
 */
export async function compileApi(
  document: string,
  options: UnitOptions = {},
): Promise<UnitResult<ApiUnit> & { readonly routes?: readonly CalledRoute[] }> {
  const result = await checkApi(document, options);
  const { plan } = planChecked(result);
  const [unit] = await compileApis(plan, result);
  if (plan === undefined || unit === undefined) return reportedPart(result);
  return { ...reportedPart(result), unit, routes: plan.apis.flatMap(listCalledRoutes) };
}

/** Checks one document as `compileApi` does. */
export async function checkApi(document: string, options: UnitOptions = {}): Promise<CheckResult> {
  const { settings, present = [] } = options;
  const sink = createSink();
  const paths = [settings ?? document];
  const set = await readApiSet(paths, { ...readingOf(options), apis: [document] }, sink.report);
  if (set === undefined) return applyLevels(sink.reported(), new Map(), []);
  const own = set.apis.map(resolveApi);
  const whole = resolveSet({ ...set, apis: [...present, ...own] });
  reportDuplicateIds(whole.apis, sink.report);
  const before = createSink();
  applySetRules(resolveSet({ ...set, apis: present }), before.report);
  const known = new Set(before.reported().map(placeOf));
  return checkRead(resolveSet({ ...set, apis: own }), whole, sink, options, (found) =>
    fileOf(found) === set.settingsFile?.path ? found.severity === "error" : !known.has(placeOf(found)),
  );
}

/** Compiles the process part. Reports problems in the settings, also in relation to the documents. */
export async function compileProcess(options: UnitOptions = {}): Promise<UnitResult<LinkedUnit>> {
  const { settings, present = [] } = options;
  const sink = createSink();
  const paths = settings === undefined ? [] : [settings];
  const set = await readApiSet(paths, { ...readingOf(options), apis: [] }, sink.report);
  if (set === undefined) return applyLevels(sink.reported(), new Map(), []);
  const whole = resolveSet({ ...set, apis: present });
  const isOwn = (found: Diagnostic) => fileOf(found) === set.settingsFile?.path;
  const result = await checkRead(resolveAll(set), whole, sink, options, isOwn);
  const unit = await compileSettings(result);
  return { ...reportedPart(result), ...(unit === undefined ? {} : { unit }) };
}

/** Compiles all documents of a set, like `compileDocuments`, to the modules of a deployment. */
export async function compileUnits(
  paths: readonly string[],
  options: CheckOptions = {},
): Promise<UnitsResult> {
  const result = await checkDocuments(paths, options);
  const process = await compileSettings(result);
  if (process === undefined) return reportedPart(result);
  return { ...reportedPart(result), process, apis: await compileApis(planChecked(result).plan, result) };
}

async function compileApis(plan: Plan | undefined, { checked }: CheckResult): Promise<readonly ApiUnit[]> {
  if (plan === undefined) return [];
  const { optimisePlan } = await import("./optimise/index.ts");
  const digests = plan.apis.map(streamDigests);
  const units: ApiUnit[] = [];
  for (const [index, api] of optimisePlan(plan).apis.entries())
    units.push(await compilePlan(api, digests[index] ?? new Map(), checked?.set.dialect ?? coreDialect));
  return units;
}

async function compilePlan(
  api: ApiPlan,
  digests: ReadonlyMap<string, StreamDigests>,
  { packages }: Dialect,
): Promise<ApiUnit> {
  // Imported lazily: checks do not need these modules.
  const [{ emitApiUnit }, { linkUnit }] = await Promise.all([
    import("./emit/units.ts"),
    import("./link/link-unit.ts"),
  ]);
  return {
    id: api.id,
    ...(api.name === undefined ? {} : { name: api.name }),
    listenPath: api.listenPath,
    streams: Object.fromEntries(digests),
    ...(await linkUnit(await emitApiUnit(api), packages)),
  };
}

async function compileSettings({ checked }: CheckResult): Promise<LinkedUnit | undefined> {
  if (checked === undefined) return undefined;
  const [{ emitProcessUnit }, { linkUnit }] = await Promise.all([
    import("./emit/units.ts"),
    import("./link/link-unit.ts"),
  ]);
  const { packages } = checked.set.dialect;
  return linkUnit(await emitProcessUnit(planProcess(checked, planScripts(checked))), packages);
}

/** Returns the reported part of a result, without the facts. */
function reportedPart({ diagnostics, suppressed, counts }: Leveled): Leveled {
  return { diagnostics, suppressed, counts };
}

function fileOf({ span }: Diagnostic): string {
  return span.source.file.path;
}

function placeOf(found: Diagnostic): string {
  return `${found.code} ${found.span.source.offsetInFile(found.span.start)} ${fileOf(found)}`;
}
