// Shows esbuild the emitted text as modules, and the runtime under the name emitted text imports it by.

import { isBuiltin } from "node:module";
import { join } from "node:path";
import type { OnResolveResult, Plugin } from "esbuild";
import type { EmittedGateway } from "../emit/gateway.ts";
import type { EmittedUnit } from "../emit/units.ts";
import type { LinkedRuntime } from "./linked-runtime.ts";

/** Namespace of the modules that are emitted text; they lie beside the bundle. */
export const emittedNamespace = "sluice-emitted";
const namespace = emittedNamespace;

/** What `node gateway.mjs` runs. Importing the bundle does not serve. */
const mainModule = `import gateway from "./gateway.ts";
import { runMain } from "sluice/runtime/main.ts";

export { serveGateway } from "sluice/runtime/gateway/serve.ts";
export default gateway;

// Nodes too old to know \`main\` are for \`runMain\` to refuse.
if (import.meta.main !== false) await runMain(gateway);
`;

/** What an executable runs, whose program is CommonJS, where nothing is awaited at the top level. */
const executableModule = `import gateway from "./gateway.ts";
import { runMain } from "sluice/runtime/main.ts";

runMain(gateway);
`;

/** A package that brings components. */
export interface LinkedPackage {
  readonly name: string;
  /** The folder that holds its `package.json`, absolute and without symbolic links. */
  readonly folder: string;
}

/** Namespace of the modules of Node. */
const nodeNamespace = "node-module";

/** What `sluice/component` is inside a gateway. */
const componentModule = "runtime/extension/component.ts";

/** An esbuild plugin that resolves `gateway.ts`, `types.ts`, the entry, and `sluice/…` imports. */
export function emittedModules(
  emitted: EmittedGateway,
  runtime: LinkedRuntime,
  packageRoot: string,
  packages: readonly LinkedPackage[],
): Plugin {
  const texts = new Map([
    ["main.ts", mainModule],
    ["executable.ts", executableModule],
    ["gateway.ts", emitted.gateway],
    ["types.ts", emitted.types],
    ["validators.ts", emitted.validators ?? ""],
  ]);
  return servedTexts(texts, packageRoot, packages, (module) => ({
    path: runtime.fileOf(module),
    sideEffects: false,
  }));
}

/**
 * The same of one module that is deployed alone, whose entry is `unit.ts`: the runtime stays outside, the modules of
 * packages come inside.
 */
export function unitModules(
  { code, validators = "" }: EmittedUnit,
  packages: readonly LinkedPackage[],
): Plugin {
  const texts = new Map([
    ["unit.ts", code],
    ["validators.ts", validators],
  ]);
  const outside = servedTexts(texts, undefined, packages, (module) => ({
    path: `sluice/${module}`,
    external: true,
  }));
  return {
    name: outside.name,
    async setup(build) {
      await outside.setup(build);
      // Gateways give deployed modules their runtime alone, which has a module for what packages need of Node.
      build.onResolve({ filter: /^[a-z]/ }, ({ path }) =>
        isBuiltin(path) ? { path: path.replace(/^node:/, ""), namespace: nodeNamespace } : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: nodeNamespace }, ({ path }) => ({
        contents: `module.exports = require("sluice/runtime/extension/node.ts").nodeModule(${JSON.stringify(path)});`,
      }));
    },
  };
}

/** Serves `texts` as files that lie beside each other; `runtime` resolves modules such as `runtime/gateway.ts`. */
function servedTexts(
  texts: ReadonlyMap<string, string>,
  resolveDir: string | undefined,
  packages: readonly LinkedPackage[],
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
      build.onResolve({ filter: /^sluice\/component$/ }, () => runtime(componentModule));
      build.onResolve({ filter: /^sluice\// }, ({ path }) => runtime(path.slice("sluice/".length)));
      build.onResolve({ filter: /^[^.]/, namespace }, ({ path }) => moduleOf(path, packages));
      build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
        contents: texts.get(path) ?? "",
        loader: "ts",
        ...(resolveDir === undefined ? {} : { resolveDir }),
      }));
    },
  };
}

/** Emitted text imports a module of a package by the name of the package and its path below it. */
function moduleOf(specifier: string, packages: readonly LinkedPackage[]): OnResolveResult | undefined {
  const home = packages.find(({ name }) => specifier.startsWith(`${name}/`));
  return home && { path: join(home.folder, specifier.slice(home.name.length + 1)) };
}
