// Shows esbuild the emitted text as modules, and the runtime under the name emitted text imports it by.

import { join } from "node:path";
import type { OnResolveResult, Plugin } from "esbuild";
import type { EmittedGateway } from "../emit/gateway.ts";
import type { EmittedUnit } from "../emit/units.ts";
import { emittedNamespace } from "./portable-names.ts";

const namespace = emittedNamespace;

/** What `node gateway.mjs` runs. Importing the bundle does not serve. */
const mainModule = `import gateway from "./gateway.ts";
import { runMain } from "sluice/runtime/main.ts";

export { serveGateway } from "sluice/runtime/gateway/serve.ts";
export default gateway;

// Nodes too old to know \`main\` are for \`runMain\` to refuse.
if (import.meta.main !== false) await runMain(gateway);
`;

/** An esbuild plugin that resolves `gateway.ts`, `types.ts`, the entry, and `sluice/…` imports. */
export function emittedModules(emitted: EmittedGateway, packageRoot: string): Plugin {
  const texts = new Map([
    ["main.ts", mainModule],
    ["gateway.ts", emitted.gateway],
    ["types.ts", emitted.types],
    ["validators.ts", emitted.validators ?? ""],
  ]);
  return servedTexts(texts, packageRoot, (module) => ({
    path: join(packageRoot, module),
    sideEffects: false,
  }));
}

/** The same of one module that is deployed by itself, whose entry is `unit.ts`: the runtime stays outside. */
export function unitModules({ code, validators = "" }: EmittedUnit): Plugin {
  const texts = new Map([
    ["unit.ts", code],
    ["validators.ts", validators],
  ]);
  return servedTexts(texts, undefined, (module) => ({ path: `sluice/${module}`, external: true }));
}

/** Serves `texts` as files that lie beside each other; `runtime` resolves modules such as `runtime/gateway.ts`. */
function servedTexts(
  texts: ReadonlyMap<string, string>,
  resolveDir: string | undefined,
  runtime: (module: string) => OnResolveResult,
): Plugin {
  return {
    name: "sluice-emitted-modules",
    setup(build) {
      build.onResolve({ filter: /^sluice-emitted\// }, ({ path }) => ({
        path: path.slice("sluice-emitted/".length),
        namespace,
      }));
      build.onResolve({ filter: /^\.\//, namespace }, ({ path }) => ({ path: path.slice(2), namespace }));
      build.onResolve({ filter: /^sluice\// }, ({ path }) => runtime(path.slice("sluice/".length)));
      build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
        contents: texts.get(path) ?? "",
        loader: "ts",
        ...(resolveDir === undefined ? {} : { resolveDir }),
      }));
    },
  };
}
