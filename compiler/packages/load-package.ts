// Loads one package that a set names: runs its entry module, reads its descriptors, finds its modules, and links
// everything to its location. Throws a `PackageProblem` for a breach of the contract; so do functions of its
// descriptors if they throw or return invalid results.

import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { compileFunction } from "node:vm";
import { type Component, type KnownOptions, type RuntimeLink, runtimesOf } from "../../schemas/component.ts";
import type { Builtin } from "../builtins/builtin.ts";
import { suggest } from "../diagnostics/suggest.ts";
import { loadComponentApi, loadModule } from "../evaluate/runtime-modules.ts";
import type { FileSystem } from "../parse/document/file-system.ts";
import type { Span } from "../source/source.ts";
import type { NamedPackage } from "../trees/dialect.ts";
import { isRecord } from "../value-types/records.ts";
import { BundleError, bundleModule, bundleScript, componentApi } from "./bundle-package.ts";
import { type FoundPackage, findPackage, messageOf } from "./package-files.ts";
import { PackageProblem, refuse, refuseAt } from "./package-problem.ts";
import { compileSchema } from "./read-schema.ts";
import { type PackageContents, readContents } from "./read-shape.ts";

/** The contents of a package, ready for a dialect. */
export interface LoadedPackage {
  readonly name: string;
  /** The absolute path without symbolic links. */
  readonly folder: string;
  readonly components: readonly Component[];
  readonly builtins: readonly Builtin[];
  /** The names of its functions in emitted code. */
  readonly locals: readonly string[];
}

/** Loads the package; `before` are the packages that the set names before it. */
export async function loadPackage(
  named: NamedPackage,
  settings: string,
  fileSystem: FileSystem,
  before: readonly LoadedPackage[],
): Promise<LoadedPackage> {
  const found = await findPackage(named.name, settings, fileSystem);
  const { name, realFolder: folder } = found;
  const { components, builtins } = await runEntry(found, fileSystem);
  for (const component of components) compileSchema(name, component);
  const links = linksOf({ components, builtins });
  const digest = await digestOfModules(found, links, fileSystem);
  const taken = new Set(before.flatMap(({ locals }) => locals));
  const locals = new Map<string, string>();
  const load = await moduleLoader(found, links, fileSystem);
  const linked = (link: RuntimeLink): RuntimeLink => {
    const key = `${link.module} ${link.symbol}`;
    const local = locals.get(key) ?? claim(`$${link.symbol}`, taken);
    locals.set(key, local);
    return { ...link, source: { package: name, local, digest, load } };
  };
  const guard = { package: name, span: named.span };
  return {
    ...{ name, folder },
    components: components.map((component) => linkComponent(guardComponent(component, guard), linked)),
    builtins: builtins.map((builtin) => linkBuiltin(guardBuiltin(builtin, guard), linked)),
    locals: [...locals.values()],
  };
}

/** Returns an unused name; documents cannot write `$` in names that become identifiers. */
function claim(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted}${number}`;
  taken.add(name);
  return name;
}

/** Returns what the entry module describes. It runs with the rights of the compiler. */
async function runEntry(found: FoundPackage, fileSystem: FileSystem): Promise<PackageContents> {
  const contents = `export { default } from ${JSON.stringify(`./${found.entry}`)};`;
  try {
    const code = await bundleScript(found, contents, fileSystem);
    const { default: described } = evaluate(code, found);
    // A rejection without a handler would end the process before the wrong shape is reported.
    if (described instanceof Promise) described.catch(() => undefined);
    return readContents(found.name, described);
  } catch (error) {
    if (error instanceof PackageProblem) throw error;
    return refuse("GW4402", { package: found.name, module: found.entry, reason: messageOf(error) });
  }
}

/** Evaluates a bundled script as a function, which is garbage-collected when nothing uses it any longer. */
function evaluate(code: string, { name, realFolder }: FoundPackage): Readonly<Record<string, unknown>> {
  const own = createRequire(`${realFolder}/package.json`);
  const require = (path: string): unknown => (path === componentApi ? loadComponentApi() : own(path));
  const module: { exports: Readonly<Record<string, unknown>> } = { exports: {} };
  const call = compileFunction(code, ["require", "module", "exports"], { filename: `${name}.js` });
  call(require, module, module.exports);
  return module.exports;
}

/**
 * Returns a loader for the exports of the package's modules. All modules are in one bundle, so that they share their
 * imports. The bundle runs on the first request: checks and builds run only the entry module of a package.
 */
async function moduleLoader(found: FoundPackage, links: readonly OwnedLink[], fileSystem: FileSystem) {
  const modules = [...new Set(links.map(({ link }) => link.module))].sort();
  const contents = modules
    .map((module, index) => `export * as module${index} from ${JSON.stringify(`./${module}`)};`)
    .join("\n");
  const script = await bundleScript(found, contents, fileSystem);
  let exports: Readonly<Record<string, unknown>> | undefined;
  return (module: string): Readonly<Record<string, unknown>> => {
    exports ??= evaluate(script, found);
    const loaded = exports[`module${modules.indexOf(module)}`];
    return typeof loaded === "object" && loaded !== null ? { ...loaded } : {};
  };
}

/** A link, and the component or builtin that names it. */
interface OwnedLink {
  readonly owner: string;
  readonly link: RuntimeLink;
}

function linksOf({
  components,
  builtins,
}: Pick<LoadedPackage, "components" | "builtins">): readonly OwnedLink[] {
  const ofComponents = components.flatMap((component) => {
    const owner = `${component.role.replace("_", " ")} \`${component.name}\``;
    const probes = component.probe === undefined ? [] : [component.probe];
    return [...runtimesOf(component), ...probes].map((link) => ({ owner, link }));
  });
  const ofBuiltins = builtins.flatMap(({ kind, name, link }) =>
    link === undefined ? [] : [{ owner: `${kind} \`${name}\``, link }],
  );
  return [...ofComponents, ...ofBuiltins];
}

/**
 * Returns the digest of the modules that a gateway runs. Every module must exist, with the functions that are named.
 */
async function digestOfModules(
  found: FoundPackage,
  links: readonly OwnedLink[],
  fileSystem: FileSystem,
): Promise<string> {
  const { name } = found;
  const hash = createHash("sha256");
  const modules = Map.groupBy(links, ({ link }) => link.module);
  for (const [module, users] of [...modules].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [{ owner } = { owner: "" }] = users;
    const bundled = await bundleModule(found, module, fileSystem).catch((error: unknown) => {
      if (!(error instanceof BundleError)) throw error;
      if (error.isMissing) return refuse("GW4406", { package: name, owner, module });
      return refuse("GW4410", { package: name, module, reason: error.message });
    });
    const unknown = bundled.imports.find((symbol) => !Object.hasOwn(runtimeApi(), symbol));
    if (unknown !== undefined) refuse("GW4416", { package: name, module, symbol: unknown });
    hash.update(`${module} ${bundled.code.length}\n`).update(bundled.code);
    const missing = users.find(({ link }) => !bundled.exports.includes(link.symbol));
    if (missing === undefined) continue;
    const { symbol } = missing.link;
    const closest = suggest(symbol, bundled.exports);
    refuse("GW4407", { package: name, owner: missing.owner, module, symbol, closest });
  }
  return hash.digest("hex");
}

/** Returns `sluice/component` as it is inside a gateway: with less than for an entry module. */
function runtimeApi(): object {
  return loadModule("runtime/extension/component.ts");
}

function linkComponent(component: Component, linked: (link: RuntimeLink) => RuntimeLink): Component {
  const { runtime, probe, variants } = component;
  return {
    ...component,
    runtime: linked(runtime),
    ...(probe === undefined ? {} : { probe: linked(probe) }),
    ...(variants === undefined
      ? {}
      : { variants: variants.map((each) => ({ ...each, runtime: linked(each.runtime) })) }),
  };
}

/** `symbol` is the name of the function in emitted code, which is unique. */
function linkBuiltin(builtin: Builtin, linked: (link: RuntimeLink) => RuntimeLink): Builtin {
  if (builtin.link === undefined) return builtin;
  const link = linked(builtin.link);
  return { ...builtin, link, module: link.module, symbol: link.source?.local ?? link.symbol };
}

/** The package that functions belong to. */
interface PackageGuard {
  readonly package: string;
  /** The place where the set names the package. */
  readonly span: Span;
}

/** Returns the same component, but its functions throw only a `PackageProblem`. */
function guardComponent(component: Component, guard: PackageGuard): Component {
  const owner = `${component.role.replace("_", " ")} \`${component.name}\``;
  const guarded = <T>(what: string, call: (options: KnownOptions) => T, fits: (result: T) => boolean) =>
    guardCall({ ...guard, owner, what }, call, fits);
  const variants = component.variants?.map((variant) => ({
    ...variant,
    when: guarded("when", variant.when, isBoolean),
  }));
  const rules = component.rules?.map((rule) =>
    typeof rule === "string" ? rule : guarded("rules", rule, isProblems),
  );
  const common = { ...(variants && { variants }), ...(rules && { rules }) };
  if (component.role === "input") {
    const { division } = component;
    if (division === undefined) return { ...component, ...common };
    const isDivided = guarded("division.isDivided", division.isDivided, isBoolean);
    return { ...component, ...common, division: { ...division, isDivided } };
  }
  if (component.role !== "processor") return { ...component, ...common };
  const { flow, mayFail } = component;
  const effect = flow.kind === "message" ? flow.effect : undefined;
  return {
    ...{ ...component, ...common },
    ...(flow.kind === "message" && typeof effect === "function"
      ? { flow: { ...flow, effect: guarded("flow.effect", effect, isEffect) } }
      : {}),
    ...(typeof mayFail === "function"
      ? {
          mayFail: guarded(
            "mayFail",
            mayFail,
            (reason) => reason === undefined || typeof reason === "string",
          ),
        }
      : {}),
  };
}

/** Returns the same for a builtin. */
function guardBuiltin(builtin: Builtin, guard: PackageGuard): Builtin {
  const owner = `${builtin.kind} \`${builtin.name}\``;
  const { result, fails } = builtin;
  return {
    ...builtin,
    ...(result && { result: guardCall({ ...guard, owner, what: "result" }, result, isRecord) }),
    ...(fails && { fails: guardCall({ ...guard, owner, what: "fails" }, fails, isBoolean) }),
  };
}

interface Place extends PackageGuard {
  /** The owner of the function: input `lines`. */
  readonly owner: string;
  /** The name of the function in the descriptor. */
  readonly what: string;
}

function guardCall<A, T>(place: Place, call: (given: A) => T, fits: (result: T) => boolean): (given: A) => T {
  const { span, owner, what } = place;
  const fail = (reason: string) => refuseAt("GW4411", span, { package: place.package, owner, what, reason });
  return (given) => {
    let result: T;
    try {
      result = call(given);
    } catch (error) {
      return fail(messageOf(error));
    }
    return fits(result) ? result : fail("its result does not match the contract");
  };
}

function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}

function isProblems(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => isRecord(each) && typeof each.message === "string");
}

function isEffect(value: unknown): boolean {
  return isRecord(value) && typeof value.content === "string";
}
