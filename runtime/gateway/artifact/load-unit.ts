// Evaluates modules of a deployment as functions of this process. ECMAScript modules are never garbage-collected; a
// function and everything it created are, once nothing uses them any longer.

import { compileFunction } from "node:vm";
import { ArtifactError } from "./manifest.ts";

/** The runtime that modules are linked to. */
export interface RuntimeModules {
  /** `sha256-` and the hex digest of the whole runtime. */
  readonly digest: string;
  /** Resolves with the exports of a module such as `runtime/gateway.ts`; loads each module once. */
  load(module: string): Promise<unknown>;
}

/** Runtimes that were created for organisations, by the original runtime. */
const ofOrganisations = new WeakMap<RuntimeModules, Map<string, RuntimeModules>>();

/**
 * Returns the runtime that the modules of an organisation see: a function that counts for the whole process counts
 * separately for each organisation, for the lifetime of the process.
 */
export function runtimeFor(organisation: string | undefined, runtime: RuntimeModules): RuntimeModules {
  if (organisation === undefined) return runtime;
  const all = ofOrganisations.get(runtime) ?? new Map<string, RuntimeModules>();
  ofOrganisations.set(runtime, all);
  const made = all.get(organisation) ?? withOwnState(runtime);
  all.set(organisation, made);
  return made;
}

function withOwnState({ digest, load }: RuntimeModules): RuntimeModules {
  const own = new Map<string, object>();
  return {
    digest,
    async load(name) {
      const exports = own.get(name) ?? (await load(name));
      if (own.has(name) || typeof exports !== "object" || exports === null) return exports;
      if (!("createCount" in exports) || typeof exports.createCount !== "function") return exports;
      const replaced = own.get(name) ?? { ...exports, count: exports.createCount() };
      own.set(name, replaced);
      return replaced;
    },
  };
}

/** The verified source of a deployed module. */
export interface UnitSource {
  readonly code: string;
  /** The file name in stack traces. */
  readonly filename: string;
  /** The only modules that it may require. */
  readonly imports: readonly string[];
}

/** Evaluates a module and returns its default export. Rejects with the error that the module throws. */
export async function loadUnit(source: UnitSource, runtime: RuntimeModules): Promise<unknown> {
  const { code, filename, imports } = source;
  const modules = new Map<string, unknown>();
  for (const name of imports) modules.set(`sluice/${name}`, await runtime.load(name));
  const require = (name: unknown): unknown => {
    if (typeof name !== "string" || !modules.has(name))
      throw new ArtifactError(`${filename} requires ${JSON.stringify(name)}, which it does not list`);
    return modules.get(name);
  };
  const module: { exports: unknown } = { exports: {} };
  compileFunction(code, ["require", "module", "exports"], { filename })(require, module, module.exports);
  const { exports } = module;
  if (typeof exports !== "object" || exports === null || !("default" in exports))
    throw new ArtifactError(`${filename} exports nothing by default`);
  return exports.default;
}
