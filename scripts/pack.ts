// Called by `npm pack` and `npm publish` before and after packing. A published package is already bundled, so
// `before` writes a package.json without the parts that only a clone needs, and `after` restores the original byte
// for byte.

import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const manifest = join(root, "package.json");
const original = join(root, ".cache/package.json");

function before(): void {
  if (existsSync(original)) throw new Error("an earlier pack was cut off: run `node scripts/pack.ts after`");
  writeDeclarations();
  mkdirSync(join(root, ".cache"), { recursive: true });
  copyFileSync(manifest, original);
  const packed = packedManifest(JSON.parse(readFileSync(manifest, "utf8")));
  writeFileSync(manifest, `${JSON.stringify(packed, undefined, 2)}\n`);
}

function after(): void {
  renameSync(original, manifest);
}

/**
 * Returns the manifest to publish. An installation only needs the bundler's program in addition: one package for each
 * platform, of which npm installs the matching one. No scripts run during installation.
 */
function packedManifest(clone: Readonly<Record<string, unknown>>): object {
  const { devDependencies: _, allowScripts: __, scripts: ___, ...packed } = clone;
  const bundler = createRequire(import.meta.url)("esbuild/package.json");
  // Emitted code imports the runtime's sources by name; a package contains them as JavaScript modules.
  const { "./runtime/*": ____, ...exports } = packed.exports as Readonly<Record<string, unknown>>;
  return {
    ...packed,
    man: "./dist/sluice.1",
    engines: { node: ">=20.19" },
    exports: { ...exports, "./runtime/*.ts": "./dist/runtime/*.js" },
    optionalDependencies: bundler.optionalDependencies,
  };
}

/**
 * Writes the declarations of the library, without those of modules that the library's own do not mention. The sources
 * are not checked again, which takes three times as long as the rest.
 */
function writeDeclarations(): void {
  const options = join(root, "scripts/tsconfig.types.json");
  const args = ["-p", options, "--noCheck", "--checkers", "1"];
  const { status } = spawnSync(join(root, "node_modules/.bin/tsc"), args, { stdio: "inherit" });
  if (status !== 0) throw new Error("the declarations of the library cannot be written");
  const types = join(root, "dist/types");
  const { files } = JSON.parse(readFileSync(options, "utf8")) as { readonly files: readonly string[] };
  const kept = new Set(files.map((file) => declarationOf(join(types, file.slice("../".length)))));
  // Declarations found during the loop are appended and visited as well.
  for (const file of kept) {
    for (const [, path = ""] of readFileSync(file, "utf8").matchAll(
      /\b(?:from |import[ (])"(\.[^"]+\.ts)"/g,
    )) {
      kept.add(declarationOf(join(dirname(file), path)));
    }
  }
  for (const file of globSync("**/*.d.ts", { cwd: types })) {
    if (!kept.has(join(types, file))) rmSync(join(types, file));
  }
}

function declarationOf(source: string): string {
  return source.replace(/\.ts$/, ".d.ts");
}

const step = process.argv[2];
if (step === "before") before();
else if (step === "after") after();
else throw new Error("usage: node scripts/pack.ts before|after");
