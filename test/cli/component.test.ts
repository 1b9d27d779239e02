import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { run } from "../harness/processes.ts";
import { sluice, warmSluice } from "../harness/sluice.ts";

const set = join(projectRoot, "examples/own-component/example/gateway.yaml");
const using = ["--set", set];

test("explain shows the fields of a component and the signature of a method from a package", async () => {
  const component = await warmSluice(["explain", ...using, "line_socket"]);
  assert.is(component.status, 0, component.stderr);
  assert.match(component.stdout, "### `line_socket` input\n");
  assert.match(component.stdout, '| `reconnect_after` | duration | `"5s"` |');
  const method = await warmSluice(["explain", ...using, "masked"]);
  assert.match(method.stdout, "`string.masked(keep: integer = 4) → string`");
  const without = await warmSluice(["explain", "masked"], { cwd: temporaryDirectory("empty") });
  assert.is(without.status, 64);
});

test("explain shows built-in components, functions and methods too", async () => {
  const { stdout, status } = await warmSluice(["explain", "nats"]);
  assert.is(status, 0);
  assert.match(stdout, "### `nats` input\n");
  assert.match(stdout, "### `nats` output\n");
  assert.match((await warmSluice(["explain", "uppercase"])).stdout, "`text.uppercase() → text`");
});

test("the editor schema includes components of packages, and that of gateway.yaml the list of packages", async () => {
  const { $defs } = JSON.parse((await warmSluice(["schema", ...using])).stdout);
  assert.ok($defs["line_socket-input"].properties.address);
  assert.ok($defs.output.properties.line_socket);
  assert.not.ok(JSON.parse((await warmSluice(["schema"])).stdout).$defs["line_socket-input"]);
  const gateway = JSON.parse((await warmSluice(["schema", "--gateway", ...using])).stdout);
  assert.match(gateway.properties.components.description, "Packages that provide components");
});

test("blobl and test run methods from packages", async () => {
  const mapped = await sluice(["blobl", ...using, "root = this.card.masked(2)"], {
    input: '{"card":"4242"}\n',
  });
  assert.equal(mapped, { status: 0, stdout: "**42\n", stderr: "" });
  const tests = join(projectRoot, "examples/own-component/example");
  assert.match((await warmSluice(["test", ...using, tests])).stdout, "1 passed");
});

test("gateway.yaml of the working directory is the default", async () => {
  const cwd = join(projectRoot, "examples/own-component/example");
  assert.is((await warmSluice(["explain", "masked"], { cwd })).status, 0);
});

test("the reference lists the components and methods of the packages, and nothing else", async () => {
  const { stdout } = await warmSluice(["component", "reference", ...using]);
  const headings = stdout.split("\n").filter((line) => line.startsWith("#"));
  assert.equal(headings, [
    "# Components of `sluice-lines`",
    "## Components",
    "### `line_socket` input",
    "### `line_socket` output",
    "## Methods of mappings",
  ]);
});

test("a broken package is reported at its location, by every command", async () => {
  const cwd = temporaryDirectory("broken");
  writeFileSync(join(cwd, "gateway.yaml"), "components: [./gone]\n");
  for (const args of [["explain", "masked"], ["schema"], ["blobl", "root = this"], ["test", "."]]) {
    const { status, stderr } = await sluice(args, { cwd, input: "" });
    assert.is(status, 1, args.join(" "));
    assert.match(stderr, "GW4400: `./gone` has no `package.json`.");
    assert.not.match(stderr, "    at ");
  }
});

test("init creates a package whose tests pass, even where Sluice is not installed", async () => {
  const cwd = temporaryDirectory("made");
  const made = await warmSluice(["component", "init", "Own Lines"], { cwd });
  assert.is(made.status, 0, made.stderr);
  const folder = join(cwd, "Own Lines");
  assert.ok(existsSync(join(folder, "node_modules/sluice/package.json")));
  const tested = await run("npm", ["test"], { cwd: folder });
  assert.is(tested.status, 0, tested.stdout + tested.stderr);
  const checked = await warmSluice(["check", "example/gateway.yaml"], { cwd: folder });
  assert.equal(checked, { status: 0, stdout: "", stderr: "" });
  const { stdout } = await warmSluice(["component", "reference", "--set", "example/gateway.yaml"], {
    cwd: folder,
  });
  assert.match(stdout, "# Components of `own-lines`\n");
});

test("test fails in a folder without tests, and in one that does not exist", async () => {
  const cwd = temporaryDirectory("untested");
  for (const folder of [".", "missing"]) {
    const { status, stdout, stderr } = await warmSluice(["component", "test", folder], { cwd });
    assert.equal([status, stdout, stderr], [1, "", `sluice: no tests found in ${join(folder, "test")}\n`]);
  }
});

test("init does not touch a folder that is not empty", async () => {
  const cwd = temporaryDirectory("taken");
  mkdirSync(join(cwd, "own"));
  writeFileSync(join(cwd, "own/notes.txt"), "mine");
  const { status, stderr } = await warmSluice(["component", "init", "own"], { cwd });
  assert.is(status, 1);
  assert.is(stderr, "sluice: own is not an empty folder\n");
  assert.not.ok(existsSync(join(cwd, "own/package.json")));
});

test.run();
