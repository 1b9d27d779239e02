// Loaded before a program (`node --import`): writes the names of the packages that it loaded to the file
// that LOADED_PACKAGES names.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

const packages = new Set<string>();

registerHooks({
  load(url, context, nextLoad) {
    // esbuild is beside the bundles, as it comes.
    for (const source of [url.replace("/dist/esbuild/", "/node_modules/esbuild/"), ...sourcesOf(url)]) {
      const name = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1];
      if (name !== undefined) packages.add(name);
    }
    return nextLoad(url, context);
  },
});

/** What was bundled into a file, by its source map. */
function sourcesOf(url: string): readonly string[] {
  const map = url.startsWith("file:") ? `${fileURLToPath(url)}.map` : "";
  return existsSync(map) && url.includes("/dist/") ? JSON.parse(readFileSync(map, "utf8")).sources : [];
}

process.on("exit", () => writeFileSync(process.env.LOADED_PACKAGES ?? "", JSON.stringify([...packages])));
