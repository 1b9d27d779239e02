// Modules of a deployment as functions of this process. Modules of ECMAScript are never let go of again; a function is
// collected with what it made, once nothing uses that any more.

import { compileFunction } from "node:vm";
import { ArtifactError } from "./manifest.ts";

/** The runtime that modules are linked to. */
export interface RuntimeModules {
  /** `sha256-` and the hex digest of all of it. */
  readonly digest: string;
  /** The exports of a module such as `runtime/gateway.ts`; each is loaded once. */
  load(module: string): Promise<unknown>;
}

/** What was made of a runtime for each organisation. */
const ofOrganisations = new WeakMap<RuntimeModules, Map<string, RuntimeModules>>();

/**
 * The runtime as the modules of an organisation see it: a function that counts over the whole process counts for it alone, as
 * long as the process lives.
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

/** A module as it was deployed, verified. */
export interface UnitSource {
  readonly code: string;
  /** What stacks call it. */
  readonly filename: string;
  /** All that it may require. */
  readonly imports: readonly string[];
}

/** Evaluates a module and gives its default export. Throws what it throws. */
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
