// Where this package lies, from its sources and from its bundle alike.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { invariant } from "../diagnostics/invariant.ts";

/** The folder that holds this package's `package.json` and `runtime/`. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "runtime", "gateway.ts"))) {
    const parent = dirname(folder);
    invariant(parent !== folder, "the package lies around its command line");
    folder = parent;
  }
  return folder;
}
