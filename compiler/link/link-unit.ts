// One emitted module in, a script out that a running gateway evaluates as a function: CommonJS, which is collected again
// when nothing uses it any more, as modules of ECMAScript never are.

import { build, type Metafile } from "esbuild";
import { invariant } from "../diagnostics/invariant.ts";
import type { EmittedUnit } from "../emit/units.ts";
import { type LinkedPackage, unitModules } from "./emitted-modules.ts";
import { failToLink, oldestTarget } from "./link.ts";

/** A module as it is deployed. */
export interface LinkedUnit {
  /** The body of a function of `require`, `module` and `exports`; `module.exports.default` is what it defines. */
  readonly code: string;
  /** The modules of the runtime that it requires as `sluice/…`, sorted: `runtime/gateway.ts`. */
  readonly imports: readonly string[];
}

/** Links a module to the runtime of whatever gateway will run it. Same text, same bytes. */
export async function linkUnit(
  emitted: EmittedUnit,
  packages: readonly LinkedPackage[] = [],
): Promise<LinkedUnit> {
  const result = await build({
    entryPoints: ["sluice-emitted/unit.ts"],
    outfile: "unit.js",
    write: false,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: oldestTarget,
    metafile: true,
    legalComments: "none",
    logLevel: "silent",
    plugins: [unitModules(emitted, packages)],
  }).catch(failToLink);
  const [file] = result.outputFiles;
  invariant(file !== undefined, "a module is linked to one file");
  return { code: file.text, imports: importsOf(result.metafile) };
}

function importsOf({ outputs }: Metafile): readonly string[] {
  const required = Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  return [...new Set(required)].sort().map((path) => {
    invariant(path.startsWith("sluice/"), `emitted modules import the runtime alone, not ${path}`);
    return path.slice("sluice/".length);
  });
}
