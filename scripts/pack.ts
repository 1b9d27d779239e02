// `npm pack` and `npm publish` call this before and after. A package leaves to its user which Node to
// run: `optionalDependencies` bring one to clones only, so `before` takes them out of package.json and
// `after` puts the file back byte for byte.

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const manifest = join(root, "package.json");
const original = join(root, ".cache/package.json");

function before(): void {
  if (existsSync(original)) throw new Error("an earlier pack was cut off: run `node scripts/pack.ts after`");
  writeDeclarations();
  mkdirSync(join(root, ".cache"), { recursive: true });
  copyFileSync(manifest, original);
  const { optionalDependencies: _, ...packed } = JSON.parse(readFileSync(manifest, "utf8"));
  writeFileSync(manifest, `${JSON.stringify(packed, undefined, 2)}\n`);
}

function after(): void {
  renameSync(original, manifest);
}

function writeDeclarations(): void {
  const tsc = join(root, "node_modules/.bin/tsc");
  const { status } = spawnSync(tsc, ["-p", join(root, "scripts/tsconfig.types.json")], { stdio: "inherit" });
  if (status !== 0) throw new Error("the declarations of the library cannot be written");
}

const step = process.argv[2];
if (step === "before") before();
else if (step === "after") after();
else throw new Error("usage: node scripts/pack.ts before|after");
