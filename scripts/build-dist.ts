// Brings `dist/` up to date: `npm ci`, the test command and packing call this one after the other, on the same sources.

import { createHash } from "node:crypto";
import { globSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildDist } from "./bundle/dist.ts";

const root = join(import.meta.dirname, "..");

/** Written last, so that a build that was cut off leaves none. */
const stamp = join(root, "dist/built-from");

/** Folders that no bundle reads: what was made or installed, and what only measures and tests. */
const left = new Set([".cache", ".ci", ".git", "bench", "dist", "docs", "node_modules", "out", "test"]);

/** The digest of every file that a bundle may read. Installed packages stand in the lock file. */
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

const digest = digestOfSources();
if (builtFrom() !== digest) {
  rmSync(stamp, { force: true });
  await buildDist();
  writeFileSync(stamp, digest);
}
