#!/usr/bin/env node
// The command `sluice`: the bundled command line, in a clone the sources where they are newer than it.

import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runUnderNode } from "./under-node.js";

// By `require`: `import` would load parts of it that are not used here.
const { existsSync, readdirSync, statSync } = createRequire(import.meta.url)("node:fs");

const root = fileURLToPath(new URL("..", import.meta.url));
const source = join(root, "cli/main.ts");
const bundle = join(root, "dist/cli.js");
/** Written when the bundle is complete, with the time at which its sources were read. */
const stamp = join(root, "dist/built-from");

runUnderNode(isFresh() ? bundle : source, process.argv.slice(2));

/** Whether the bundle was made of the sources as they are, or is all there is, as in a package. */
function isFresh() {
  if (!existsSync(source)) return true;
  const made = statSync(stamp, { throwIfNoEntry: false });
  if (made === undefined) return false;
  return ["cli", "compiler", "language-server", "management", "pages", "runtime", "schemas", "scripts"].every(
    (folder) => isOlder(join(root, folder), made.mtimeMs),
  );
}

/** Whether nothing but texts for people in a folder was written, added or removed since `time`. */
function isOlder(folder, time) {
  if (statSync(folder).mtimeMs > time) return false;
  return readdirSync(folder, { withFileTypes: true }).every((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return isOlder(path, time);
    return entry.name.endsWith(".md") || statSync(path).mtimeMs <= time;
  });
}
