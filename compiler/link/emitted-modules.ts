// Provides the emitted text to esbuild as modules, and the runtime under the name by which emitted text imports it.

import { isBuiltin } from "node:module";
import { join } from "node:path";
import type { OnResolveResult, Plugin } from "esbuild";
import type { EmittedGateway } from "../emit/gateway.ts";
import type { EmittedUnit } from "../emit/units.ts";
import type { LinkedRuntime } from "./linked-runtime.ts";

/** The namespace of modules with emitted text; their folder is that of the bundle. */
export const emittedNamespace = "sluice-emitted";
const namespace = emittedNamespace;

/** The module that `node gateway.mjs` runs. Importing the bundle does not start serving. */
const mainModule = `import gateway from "./gateway.ts";
import { runMain } from "sluice/runtime/main.ts";

export { serveGateway } from "sluice/runtime/gateway/serve.ts";
export default gateway;

// Nodes too old to know \`main\` are for \`runMain\` to refuse.
if (import.meta.main !== false) await runMain(gateway);
`;

/** The module that an executable runs. Its program is CommonJS, which has no top-level await. */
const executableModule = `import gateway from "./gateway.ts";
import { runMain } from "sluice/runtime/main.ts";

runMain(gateway);
`;

/** A package that provides components. */
export interface LinkedPackage {
  readonly name: string;
  /** The folder of its `package.json`, absolute and without symbolic links. */
  readonly folder: string;
}

/** The namespace of modules of Node. */
const nodeNamespace = "node-module";

/** The implementation of `sluice/component` inside a gateway. */
const componentModule = "runtime/extension/component.ts";

/**
 * Returns an esbuild plugin that resolves `gateway.ts`, `validators.ts`, the entry, and `sluice/…` imports. Calls
 * `onRead` when esbuild has read `gateway.ts`.
 */
export function emittedModules(
  emitted: EmittedGateway,
  runtime: LinkedRuntime,
  packageRoot: string,
  packages: readonly LinkedPackage[],
  onRead: () => void = () => {},
): Plugin {
  const texts = new Map([
    ["main.ts", mainModule],
    ["executable.ts", executableModule],
    ["gateway.ts", emitted.gateway],
    ["validators.ts", emitted.validators ?? ""],
  ]);
  const served = servedTexts(texts, packageRoot, packages, (module) => ({
    path: runtime.fileOf(module),
    sideEffects: false,
  }));
  return {
    name: served.name,
    async setup(build) {
      build.onLoad({ filter: /^gateway\.ts$/, namespace }, () => {
        // esbuild reads what it is sent in order: it has read the text when it answers a question sent after it.
        setImmediate(() => {
          void build.resolve("sluice-emitted/main.ts", { kind: "entry-point" }).then(onRead, onRead);
        });
        return undefined;
      });
      await served.setup(build);
    },
  };
}

/**
 * Returns the same plugin for one module that is deployed alone, with the entry `unit.ts`: the runtime is external,
 * modules of packages are included.
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
      // Gateways provide only the runtime to deployed modules; it has a module for what packages need from Node.
      build.onResolve({ filter: /^[a-z]/ }, ({ path }) =>
        isBuiltin(path) ? { path: path.replace(/^node:/, ""), namespace: nodeNamespace } : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: nodeNamespace }, ({ path }) => ({
        contents: `module.exports = require("sluice/runtime/extension/node.ts").nodeModule(${JSON.stringify(path)});`,
      }));
    },
  };
}

/** Serves `texts` as files of one folder; `runtime` resolves modules such as `runtime/gateway.ts`. */
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

/** Resolves a module of a package: emitted text imports it by the name of the package and the path in it. */
function moduleOf(specifier: string, packages: readonly LinkedPackage[]): OnResolveResult | undefined {
  const home = packages.find(({ name }) => specifier.startsWith(`${name}/`));
  return home && { path: join(home.folder, specifier.slice(home.name.length + 1)) };
}
