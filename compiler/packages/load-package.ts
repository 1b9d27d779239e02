// One package that a set names, loaded: its entry module run, its descriptors read, its modules looked for, and all of it
// linked to where it lies. Throws a `PackageProblem` for what does not keep the contract; so do functions of its descriptors
// where they throw, or give results that are none.

import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { compileFunction } from "node:vm";
import { type Component, type KnownOptions, type RuntimeLink, runtimesOf } from "../../schemas/component.ts";
import type { Builtin } from "../builtins/builtin.ts";
import { functionOf } from "../check/document/schema-functions.ts";
import { suggest } from "../diagnostics/suggest.ts";
import { loadComponentApi, loadModule } from "../evaluate/runtime-modules.ts";
import type { FileSystem } from "../parse/document/file-system.ts";
import type { Span } from "../source/source.ts";
import type { NamedPackage } from "../trees/dialect.ts";
import { BundleError, bundleModule, bundleScript, componentApi } from "./bundle-package.ts";
import { type FoundPackage, findPackage, isRecord, messageOf } from "./package-files.ts";
import { refuse, refuseAt } from "./package-problem.ts";
import { readContents } from "./read-shape.ts";

/** What a package brings, ready for a dialect. */
export interface LoadedPackage {
  readonly name: string;
  /** Absolute, without symbolic links. */
  readonly folder: string;
  readonly components: readonly Component[];
  readonly builtins: readonly Builtin[];
  /** What emitted code calls its functions. */
  readonly locals: readonly string[];
}

/** Loads the package; `before` are those that the set names before it. */
export async function loadPackage(
  named: NamedPackage,
  settings: string,
  fileSystem: FileSystem,
  before: readonly LoadedPackage[],
): Promise<LoadedPackage> {
  const found = await findPackage(named.name, settings, fileSystem);
  const { name, realFolder: folder } = found;
  const { components, builtins } = readContents(name, await runEntry(found, fileSystem));
  for (const component of components) checkSchema(name, component);
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

/** A name that nothing else has; documents cannot write `$` in the names that become identifiers. */
function claim(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted}${number}`;
  taken.add(name);
  return name;
}

/** The default export of the entry module. It runs with the rights of the compiler. */
async function runEntry(found: FoundPackage, fileSystem: FileSystem): Promise<unknown> {
  const contents = `export { default } from ${JSON.stringify(`./${found.entry}`)};`;
  try {
    const code = await bundleScript(found, contents, fileSystem);
    const exports = evaluate(code, found);
    return exports.default;
  } catch (error) {
    return refuse("GW4402", { package: found.name, module: found.entry, reason: messageOf(error) });
  }
}

/** A bundled script as a function of this process, collected when nothing uses it any more. */
function evaluate(code: string, { name, realFolder }: FoundPackage): Readonly<Record<string, unknown>> {
  const own = createRequire(`${realFolder}/package.json`);
  const require = (path: string): unknown => (path === componentApi ? loadComponentApi() : own(path));
  const module: { exports: Readonly<Record<string, unknown>> } = { exports: {} };
  const call = compileFunction(code, ["require", "module", "exports"], { filename: `${name}.js` });
  call(require, module, module.exports);
  return module.exports;
}

/**
 * Gives the exports of a module of the package. They come from one bundle, so that modules share what they import, which
 * runs when the first is asked for: what only checks and builds runs nothing of the package but its entry.
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

/** A link, and what names it. */
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

/** The digest of what a gateway runs of the package. Every module has to be there, with the functions that are named. */
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
    const unknown = bundled.asked.find((symbol) => !Object.hasOwn(runtimeApi(), symbol));
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

/** What `sluice/component` has inside a gateway: less than for an entry module. */
function runtimeApi(): object {
  return loadModule("runtime/extension/component.ts");
}

function checkSchema(name: string, { role, name: component, schema }: Component): void {
  try {
    functionOf(schema);
  } catch (error) {
    const called = `${role.replace("_", " ")} \`${component}\``;
    refuse("GW4404", { package: name, component: called, reason: messageOf(error) });
  }
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

/** `symbol` is the name of the function in emitted code, which no function of this package has. */
function linkBuiltin(builtin: Builtin, linked: (link: RuntimeLink) => RuntimeLink): Builtin {
  if (builtin.link === undefined) return builtin;
  const link = linked(builtin.link);
  return { ...builtin, link, module: link.module, symbol: link.source?.local ?? link.symbol };
}

/** Whose functions they are. */
interface PackageGuard {
  readonly package: string;
  /** Where the set names the package. */
  readonly span: Span;
}

/** The same component, whose functions throw nothing but a `PackageProblem`. */
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

/** The same of a builtin. */
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
  /** input `lines` */
  readonly owner: string;
  /** The function, as the descriptor calls it. */
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
    return fits(result) ? result : fail("its result is not what the contract asks for");
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
