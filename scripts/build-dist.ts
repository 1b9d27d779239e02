// Brings `dist/` up to date. `npm ci`, the test command and packing call this repeatedly with the same sources.

import { createHash } from "node:crypto";
import {
  existsSync,
  globSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { buildDist } from "./bundle/dist.ts";

const root = join(import.meta.dirname, "..");

const dist = join(root, "dist");

/** The digest of the sources that a build was made of. */
const stampIn = (folder: string) => join(folder, "built-from");

/** The beginning of the name of a folder with a build that is not complete. */
const building = ".dist-";

/** Folders that no bundle reads: generated or installed files, benchmarks and tests. */
const left = new Set([".cache", ".ci", ".git", "bench", "dist", "docs", "node_modules", "out", "test"]);

function isLeft(name: string): boolean {
  return left.has(name) || name.startsWith(building);
}

/** Returns the digest of every file that a bundle may read. The lock file covers installed packages. */
function digestOfSources(): string {
  const hash = createHash("sha256").update(process.version);
  for (const file of globSync("**", { cwd: root, exclude: isLeft }).sort()) {
    const path = join(root, file);
    if (!statSync(path).isFile()) continue;
    const bytes = readFileSync(path);
    hash.update(`${file.replaceAll("\\", "/")} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest("hex");
}

function builtFrom(): string | undefined {
  const stamp = stampIn(dist);
  return existsSync(stamp) ? readFileSync(stamp, "utf8") : undefined;
}

/**
 * Builds into a folder of its own, which then takes the place of `dist/`: another run in this checkout uses the old one
 * until the new one is complete.
 */
async function rebuild(digest: string): Promise<void> {
  const built = join(root, `${building}${process.pid}`);
  const replaced = `${built}-replaced`;
  try {
    await buildDist(built);
    writeFileSync(stampIn(built), digest);
    // Another run may have built the same meanwhile.
    if (builtFrom() === digest) return;
    if (existsSync(dist)) renameSync(dist, replaced);
    renameSync(built, dist);
  } finally {
    for (const folder of [built, replaced]) rmSync(folder, { recursive: true, force: true });
  }
}

const began = new Date();
const digest = digestOfSources();
if (builtFrom() !== digest) await rebuild(digest);
// The launcher runs the sources that are newer than this, such as those that changed during the build.
utimesSync(stampIn(dist), began, began);
