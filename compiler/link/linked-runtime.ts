// Where a bundle gets the runtime from. A clone has its sources, and the packages beside them; an installation has the
// modules that were bundled when it was packed, packages inside, and a table of what is in them.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { type ContainedPackage, packageFolders, readPackages } from "./notices.ts";

/**
 * CommonJS packages inside an ESM bundle call `require` for Node's own modules; without this they fail
 * with "Dynamic require is not supported".
 */
export const requireBanner =
  'import { createRequire as requireOf } from "node:module";\nconst require = /* @__PURE__ */ requireOf(import.meta.url);';

/** The runtime for one bundle. */
export interface LinkedRuntime {
  /** The file of a module such as `runtime/gateway.ts`, absolute. */
  fileOf(module: string): string;
  /** Reads those files for esbuild. */
  readonly plugins: readonly Plugin[];
  /** What is in a bundle of these modules, which are named relative to the root; by name, the package itself included. */
  packagesIn(modules: Iterable<string>): Promise<readonly ContainedPackage[]>;
}

/** What is in bundled modules of the runtime: packages, and for each module, named from the root, their places there. */
export interface RuntimeContents {
  readonly packages: readonly ContainedPackage[];
  readonly modules: Readonly<Record<string, readonly number[]>>;
}

/** Takes the banner off bundled modules: a gateway has one for all of them. */
const withoutBanners: Plugin = {
  name: "without-banners",
  setup(build) {
    build.onLoad({ filter: /[\\/]dist[\\/]runtime[\\/].*\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      return {
        contents: text.startsWith(requireBanner) ? text.slice(requireBanner.length) : text,
        loader: "js",
      };
    });
  },
};

/** The runtime of an installation or a clone. */
export function findLinkedRuntime(packageRoot: string): LinkedRuntime {
  const packagesAround = (modules: readonly string[]) => readPackages(packageRoot, packageFolders(modules));
  if (existsSync(join(packageRoot, "runtime/gateway.ts"))) {
    return {
      fileOf: (module) => join(packageRoot, module),
      plugins: [],
      packagesIn: (modules) => packagesAround([...modules]),
    };
  }
  return {
    fileOf: (module) => join(packageRoot, "dist", module.replace(/\.ts$/, ".js")),
    plugins: [withoutBanners],
    async packagesIn(modules) {
      const paths = [...modules];
      const table = join(packageRoot, "dist/runtime-packages.json");
      const contents: RuntimeContents = JSON.parse(await readFile(table, "utf8"));
      const inside = [...new Set(paths.flatMap((path) => contents.modules[path] ?? []))].flatMap(
        (place) => contents.packages[place] ?? [],
      );
      // The package itself, and those of components, which lie around an installation.
      const around = await packagesAround(paths);
      const [own, ...others] = new Map([...around, ...inside].map((found) => [found.name, found])).values();
      return own === undefined ? [] : [own, ...others.sort((a, b) => (a.name < b.name ? -1 : 1))];
    },
  };
}
