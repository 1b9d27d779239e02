// Finds the runtime for a bundle. A clone has its sources and the packages next to them; an installation has modules
// that were bundled when it was packed, including packages, and a table of their contents.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { type ContainedPackage, packageFolders, readPackages } from "./notices.ts";

/**
 * CommonJS packages inside an ESM bundle call `require` for Node's own modules; without this banner they fail with
 * "Dynamic require is not supported".
 */
export const requireBanner =
  'import { createRequire as requireOf } from "node:module";\nconst require = /* @__PURE__ */ requireOf(import.meta.url);';

/** The runtime for one bundle. */
export interface LinkedRuntime {
  /** Returns the absolute file of a module such as `runtime/gateway.ts`. */
  fileOf(module: string): string;
  /** The plugins with which esbuild reads these files. */
  readonly plugins: readonly Plugin[];
  /**
   * Returns the packages in a bundle of these modules (named relative to the root), sorted by name, this package first.
   */
  packagesIn(modules: Iterable<string>): Promise<readonly ContainedPackage[]>;
}

/**
 * The packages in bundled runtime modules, and for each module (named from the root) that contains any, its indexes in
 * them. This package itself, which all modules contain, is not among them.
 */
export interface RuntimeContents {
  readonly packages: readonly ContainedPackage[];
  readonly modules: Readonly<Record<string, readonly number[]>>;
}

/** Removes the banner from bundled modules: a gateway has one banner for all of them. */
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

/** Returns the runtime of an installation or a clone. */
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
      // This package itself, and packages with components, which are installed outside of it.
      const around = await packagesAround(paths);
      const [own, ...others] = new Map([...around, ...inside].map((found) => [found.name, found])).values();
      return own === undefined ? [] : [own, ...others.sort((a, b) => (a.name < b.name ? -1 : 1))];
    },
  };
}
