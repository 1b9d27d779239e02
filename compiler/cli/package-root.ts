// Finds the folder of this package, whether it runs from sources or from the bundle.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { invariant } from "../diagnostics/invariant.ts";

/** Returns the folder with this package's `package.json` and `bin/`. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "bin", "under-node.js"))) {
    const parent = dirname(folder);
    invariant(parent !== folder, "the package lies around its command line");
    folder = parent;
  }
  return folder;
}

/** Returns the version in `package.json`. */
export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8"));
  return typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "unknown";
}
