// The package as users receive it: packed, and installed where no other file of the project is.

import { cpSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import * as assert from "uvu/assert";
import { projectRoot, temporaryDirectory } from "./harness/directories.ts";
import { type Outcome, run } from "./harness/processes.ts";

const left = new Set([".git", ".cache", "node_modules", "out"]);

/** Milliseconds for a step of npm, which takes minutes while other suites keep the processors busy. */
const patience = 600_000;

/** A package, and an installation of it. */
export interface Packed {
  readonly clone: string;
  readonly tarball: string;
  /** The folder of the installed package; its `node_modules` contains everything that an installation has. */
  readonly unpacked: string;
  readonly installation: Outcome;
}

/** The bundler's program for this platform: the only other package that an installation needs. */
const bundlerPackage = `@esbuild/${process.platform}-${process.arch}`;

/** Packs a copy of the tree, like a clone after `npm ci`, and installs that package without any downloads. */
export async function packAndInstall(): Promise<Packed> {
  const clone = temporaryDirectory("clone");
  cpSync(projectRoot, clone, { recursive: true, filter: (path) => !left.has(basename(path)) });
  symlinkSync(join(projectRoot, "node_modules"), join(clone, "node_modules"));
  const destination = temporaryDirectory("pack");
  const packed = await run("npm", ["pack", "--pack-destination", destination], {
    cwd: clone,
    timeout: patience,
  });
  assert.is(packed.status, 0, packed.stderr);
  const tarball = packed.stdout.trim().split("\n").at(-1) ?? "";
  mkdirSync(join(destination, "bundler"));
  cpSync(join(projectRoot, "node_modules", bundlerPackage), join(destination, "bundler/package"), {
    recursive: true,
  });
  const packing = ["-czf", "bundler.tgz", "-C", "bundler", "package"];
  assert.is((await run("tar", packing, { cwd: destination })).status, 0);
  const folder = temporaryDirectory("installed");
  const inherited = Object.keys(process.env).filter((name) => name.startsWith("npm_config_"));
  const tarballs = [tarball, "bundler.tgz"].map((file) => join(destination, file));
  const installation = await run("npm", ["install", "--offline", "--no-audit", "--no-fund", ...tarballs], {
    cwd: folder,
    timeout: patience,
    env: {
      // The npm that runs this test passes on its own settings.
      ...Object.fromEntries(inherited.map((name) => [name, undefined])),
      npm_config_cache: join(folder, ".cache"),
      npm_config_userconfig: join(folder, ".npmrc"),
      npm_config_update_notifier: "false",
    },
  });
  return { clone, tarball, unpacked: join(folder, "node_modules/sluice"), installation };
}

/** The Node that runs this process, and the older versions that a clone contains on Linux. */
export const nodes: readonly { readonly version: string; readonly path: string }[] = [
  { version: "24", path: process.execPath },
  ...["22", "20"]
    .map((version) => ({
      version,
      path: join(projectRoot, `node_modules/node-${version}-linux-x64/bin/node`),
    }))
    .filter(({ path }) => process.platform === "linux" && process.arch === "x64" && existsSync(path)),
];
