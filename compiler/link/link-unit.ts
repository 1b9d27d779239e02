// Links one emitted module to a script that a running gateway evaluates as a function. The script is CommonJS, because
// it is garbage-collected when nothing uses it any longer; ECMAScript modules never are.

import { build, type Metafile } from "esbuild";
import { invariant } from "../diagnostics/invariant.ts";
import type { EmittedUnit } from "../emit/units.ts";
import { type LinkedPackage, unitModules } from "./emitted-modules.ts";
import { failToLink, oldestTarget } from "./link.ts";

/** A module in the form in which it is deployed. */
export interface LinkedUnit {
  /** The body of a function of `require`, `module` and `exports`; it sets `module.exports.default`. */
  readonly code: string;
  /** The modules of the runtime that it requires as `sluice/…`, sorted: `runtime/gateway.ts`. */
  readonly imports: readonly string[];
}

/** Links a module to the runtime of any gateway that runs it. The same text results in the same bytes. */
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
