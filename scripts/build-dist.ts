// Brings `dist/` up to date. `npm ci`, the test command and packing call this repeatedly with the same sources.

import { createHash } from "node:crypto";
import { globSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildDist } from "./bundle/dist.ts";

const root = join(import.meta.dirname, "..");

/** Written last, so that an interrupted build has no stamp. */
const stamp = join(root, "dist/built-from");

/** Folders that no bundle reads: generated or installed files, benchmarks and tests. */
const left = new Set([".cache", ".ci", ".git", "bench", "dist", "docs", "node_modules", "out", "test"]);

/** Returns the digest of every file that a bundle may read. The lock file covers installed packages. */
function digestOfSources(): string {
  const hash = createHash("sha256").update(process.version);
  for (const file of globSync("**", { cwd: root, exclude: (name) => left.has(name) }).sort()) {
    const path = join(root, file);
    if (!statSync(path).isFile()) continue;
    const bytes = readFileSync(path);
    hash.update(`${file.replaceAll("\\", "/")} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest("hex");
}

function builtFrom(): string | undefined {
  return statSync(stamp, { throwIfNoEntry: false }) && readFileSync(stamp, "utf8");
}

const began = new Date();
const digest = digestOfSources();
if (builtFrom() !== digest) {
  rmSync(stamp, { force: true });
  await buildDist();
  writeFileSync(stamp, digest);
}
// The launcher runs the sources that are newer than this, such as those that changed during the build.
utimesSync(stamp, began, began);
