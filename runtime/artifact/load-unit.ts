// Modules of a deployment as functions of this process. Modules of ECMAScript are never let go of again; a function is
// collected with what it made, once nothing uses that any more.

import { compileFunction } from "node:vm";
import { ArtifactError } from "./artifact-error.ts";

/** The runtime that modules are linked to. */
export interface RuntimeModules {
  /** `sha256-` and the hex digest of all of it. */
  readonly digest: string;
  /** The exports of a module such as `runtime/gateway.ts`; each is loaded once. */
  load(module: string): Promise<unknown>;
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
