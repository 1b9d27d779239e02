// Preloaded into a program (`node --import`): writes the names of the packages that the program loaded to the file
// that LOADED_PACKAGES names.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

const packages = new Set<string>();

registerHooks({
  load(url, context, nextLoad) {
    // `dist/esbuild` is an unchanged copy of the package.
    for (const source of [url.replace("/dist/esbuild/", "/node_modules/esbuild/"), ...sourcesOf(url)]) {
      const name = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1];
      if (name !== undefined) packages.add(name);
    }
    return nextLoad(url, context);
  },
});

/** Returns the sources that were bundled into a file, according to its source map. */
function sourcesOf(url: string): readonly string[] {
  const map = url.startsWith("file:") ? `${fileURLToPath(url)}.map` : "";
  return existsSync(map) && url.includes("/dist/") ? JSON.parse(readFileSync(map, "utf8")).sources : [];
}

process.on("exit", () => writeFileSync(process.env.LOADED_PACKAGES ?? "", JSON.stringify([...packages])));
