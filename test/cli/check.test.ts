import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { temporaryDirectory } from "../harness/directories.ts";
import { sluice, warmSluice } from "../harness/sluice.ts";
import { folderWith, misspelt, relay } from "./documents.ts";

const cwd = folderWith({ "clean.yaml": relay(), "apis/misspelt.yaml": misspelt });
const colored = "\u001B[";

test("a valid document prints nothing with exit code 0, and an empty array in JSON", async () => {
  assert.equal(await warmSluice(["check", "clean.yaml"], { cwd }), { status: 0, stdout: "", stderr: "" });
  const json = await warmSluice(["check", "--format", "json", "clean.yaml"], { cwd });
  assert.equal(json, { status: 0, stdout: "[]\n", stderr: "" });
});

test("folders and links to nothing are reported as such, whatever their names", async () => {
  const folder = folderWith({ "apis.yaml/orders.yaml": relay() });
  symlinkSync("gone.yaml", join(folder, "link.yaml"));
  const asFolder = await warmSluice(["check", "apis.yaml"], { cwd: folder });
  assert.match(asFolder.stdout, "GW1002: `apis.yaml` is a folder, not a document.");
  const asLink = await warmSluice(["check", "link.yaml"], { cwd: folder });
  assert.match(asLink.stdout, "GW1001: The file `link.yaml` does not exist.");
  assert.match(asLink.stdout, "hint: Correct the path, or create the file.");
  assert.equal([asFolder.stderr, asLink.stderr], ["", ""]);
});

test("a document is read once, so that it can be a pipe", async () => {
  const folder = folderWith({});
  const path = join(folder, "api.yaml");
  assert.is(spawnSync("mkfifo", [path]).status, 0);
  for (const named of ["api.yaml", "./api.yaml", path]) {
    const written = writeFile(path, misspelt);
    const { status, stdout } = await warmSluice(["check", named], { cwd: folder });
    await written;
    assert.is(status, 1, named);
    assert.match(stdout, "api.yaml:8:35");
  }
});

test("pretty: a code frame with its location and a hint", async () => {
  const { status, stdout, stderr } = await warmSluice(["check", "apis/misspelt.yaml"], { cwd });
  assert.equal([status, stderr], [1, ""]);
  assert.is(
    stdout,
    `error GW4010: Unknown field \`pth\` in \`http_server\`.
  ┌ apis/misspelt.yaml:8:35
  │
8 │         http_server: { path: /in, pth: /in }
  │                                   ^^^
  = hint: Did you mean \`path\`?
  = docs: sluice explain GW4010

1 error
`,
  );
});

test("JSON: every key, lines and columns from 1, the end exclusive", async () => {
  const { status, stdout, stderr } = await warmSluice(["check", "--format", "json", "apis/misspelt.yaml"], {
    cwd,
  });
  assert.equal([status, stderr], [1, ""]);
  assert.equal(JSON.parse(stdout), [
    {
      code: "GW4010",
      severity: "error",
      message: "Unknown field `pth` in `http_server`.",
      file: "apis/misspelt.yaml",
      line: 8,
      column: 35,
      endLine: 8,
      endColumn: 38,
      hint: "Did you mean `path`?",
      docs: "sluice explain GW4010",
    },
  ]);
});

test("unit tests are checked, those of a test file together with their document", async () => {
  const tests = (key: string, where: string) =>
    `${key}:\n  - target_processors: ${where}\n    output_batches: [[{ json_equal: {} }]]\n`;
  const folder = folderWith({
    "orders.yaml": `${relay()}${tests("x-tests", "/x-gw-streaming/streams")}`,
    "orders_test.yaml": tests("tests", "/pipeline"),
    "single.yaml": tests("test", "/pipeline"),
  });
  const found = async (...files: string[]) => {
    const { status, stdout } = await warmSluice(["check", "--format", "json", ...files], { cwd: folder });
    const places = JSON.parse(stdout).map((each: Record<string, unknown>) => `${each.code} ${each.file}`);
    return [status, ...places];
  };
  assert.equal(await found("orders_test.yaml"), [1, "GW1030 orders_test.yaml", "GW4010 orders_test.yaml"]);
  assert.equal(await found("single.yaml"), [1, "GW4010 single.yaml"]);
  assert.equal(await found("orders.yaml", "orders_test.yaml"), [
    1,
    "GW4010 orders.yaml",
    "GW1030 orders_test.yaml",
    "GW4010 orders_test.yaml",
  ]);
});

test("misspelt fields in unit tests suggest the names of the document", async () => {
  const api = `input:
  nats: { urls: ["nats://localhost:4222"], subject: orders }
  schema: { type: object, properties: { lines: { type: array, items: { type: object, properties: { quantity: { type: integer } } } } } }
pipeline:
  processors:
    - mapping: |
        root = this
        root.total = this.lines.map_each(line -> line.quantity.or(0)).sum()
        meta kind = "order"
output: { nats: { urls: ["nats://localhost:4222"], subject: totals } }
`;
  const tests = `tests:
  - target_processors: /pipeline/processors
    input_batch: [{ json_content: { lines: [{ quantitiy: 2 }, { quantity: 1, quantitiy: 2 }, { weight: 1 }] } }]
    output_batches: [[{ json_contains: { totl: 3, other: 1 } }]]
`;
  const folder = folderWith({ "orders.yaml": api, "orders_test.yaml": tests });
  const { stdout } = await warmSluice(["check", "--format", "json", "orders_test.yaml"], { cwd: folder });
  const reported = JSON.parse(stdout).map(
    (each: Record<string, unknown>) => `${each.line} ${each.code} ${each.hint}`,
  );
  assert.equal(reported, ["3 GW4010 Did you mean `quantity`?", "4 GW4010 Did you mean `total`?"]);
});

test("variables and conditions of a unit test that are unknown or have no effect are reported", async () => {
  const document = `input:
  http_server: { path: /orders, allowed_verbs: [POST] }
  schema: { type: object, required: [total], additionalProperties: false, properties: { total: { type: integer } } }
pipeline:
  processors:
    - mapping: 'root = {"to": env("TARGET"), "of": this.total}'
output: { drop: {} }
tests:
  - target_processors: /pipeline/processors
    environment: { TARGTE: b, OTHER: c }
    input_batch: [{ content: '{"total":1}' }]
    output_batches: [[{ json_contains: {} }], [{ json_contains: { tp: b } }]]
  - target_processors: /pipeline/processors
    environment: { TARGET: a }
    input_batch: [{ content: '{"total":1}' }]
    output_batches: [[{ json_contains: { of: 1 } }]]
`;
  const folder = folderWith({ "orders.yaml": document });
  const { stdout } = await warmSluice(["check", "--format", "json", "orders.yaml"], { cwd: folder });
  const reported = JSON.parse(stdout).map(
    (each: Record<string, unknown>) => `${each.line}:${each.column} ${each.severity} ${each.code}`,
  );
  assert.equal(reported, [
    "10:20 error GW4010",
    "10:31 info GW4271",
    "12:25 info GW4271",
    "12:67 error GW4010",
  ]);
});

test("columns count code points", async () => {
  const wide = misspelt.replace("path: /in, pth", 'path: "/𝒳é", pth');
  const { stdout } = await warmSluice(["check", "--format", "json", "wide.yaml"], {
    cwd: folderWith({ "wide.yaml": wide }),
  });
  assert.equal(
    JSON.parse(stdout).map(({ column }: { column: number }) => column),
    [37],
  );
});

test("SARIF: one run with a rule and a result", async () => {
  const { status, stdout } = await warmSluice(["check", "--format", "sarif", "apis/misspelt.yaml"], { cwd });
  assert.is(status, 1);
  const { version, runs } = JSON.parse(stdout);
  assert.is(version, "2.1.0");
  assert.equal(runs.length, 1);
  const [result] = runs[0].results;
  assert.is(result.ruleId, "GW4010");
  const { artifactLocation, region } = result.locations[0].physicalLocation;
  assert.is(artifactLocation.uri, "apis/misspelt.yaml");
  assert.equal([region.startLine, region.startColumn, region.endColumn], [8, 35, 38]);
  const clean = JSON.parse((await warmSluice(["check", "--format", "sarif", "clean.yaml"], { cwd })).stdout);
  assert.equal(clean.runs[0].results, []);
});

test("GitHub: one workflow command per diagnostic", async () => {
  const { status, stdout } = await warmSluice(["check", "--format", "github", "apis/misspelt.yaml"], { cwd });
  assert.is(status, 1);
  assert.is(
    stdout,
    "::error file=apis/misspelt.yaml,line=8,endLine=8,col=35,endColumn=38,title=GW4010 unknown-field::" +
      "Unknown field `pth` in `http_server`.%0ADid you mean `path`?\n",
  );
});

test("several documents are checked as one set, with diagnostics sorted by path", async () => {
  const both = folderWith({ "b.yaml": misspelt, "a.yaml": misspelt });
  const { status, stdout } = await warmSluice(["check", "--format", "json", "b.yaml", "a.yaml"], {
    cwd: both,
  });
  assert.is(status, 1);
  const own = JSON.parse(stdout).filter(({ code }: { code: string }) => code === "GW4010");
  assert.equal(
    own.map(({ file }: { file: string }) => file),
    ["a.yaml", "b.yaml"],
  );
});

test("warnings alone exit with code 0", async () => {
  const warned = folderWith({
    "gateway.yaml": "streaming: { enabled: true }\napis: [clean.yaml]\nwebhooks: {}\n",
    "clean.yaml": relay(),
  });
  const { status, stdout } = await warmSluice(["check", "--format", "json", "gateway.yaml"], { cwd: warned });
  assert.equal(
    JSON.parse(stdout).map(({ severity }: { severity: string }) => severity),
    ["warning"],
  );
  assert.is(status, 0);
});

test("output to a pipe has no colour unless forced, and NO_COLOR wins", async () => {
  const check = async (env: Record<string, string | undefined>) =>
    (await sluice(["check", "apis/misspelt.yaml"], { cwd, env: { NO_COLOR: undefined, ...env } })).stdout;
  assert.not.match(await check({ FORCE_COLOR: undefined }), colored);
  assert.match(await check({ FORCE_COLOR: "1" }), colored);
  assert.not.match(await check({ FORCE_COLOR: "0" }), colored);
  assert.not.match(await check({ FORCE_COLOR: "1", NO_COLOR: "1" }), colored);
  const json = await sluice(["check", "--format", "json", "apis/misspelt.yaml"], {
    cwd,
    env: { FORCE_COLOR: "1" },
  });
  assert.not.match(json.stdout, colored);
});

test("check loads no package that only build needs", async () => {
  const preload = pathToFileURL(join(import.meta.dirname, "loaded-packages.ts")).href;
  const list = join(temporaryDirectory("loaded"), "packages.json");
  const packagesOf = async (args: readonly string[]): Promise<ReadonlySet<string>> => {
    const env = { NODE_OPTIONS: `--import=${preload}`, LOADED_PACKAGES: list };
    assert.is((await sluice(args, { cwd, env })).status, 0);
    return new Set(JSON.parse(readFileSync(list, "utf8")));
  };
  const heavy = ["esbuild", "ts-morph", "json-schema-to-typescript", "chokidar", "h3", "kafkajs"];
  const checked = await packagesOf(["check", "clean.yaml"]);
  assert.equal(
    heavy.filter((name) => checked.has(name)),
    [],
  );
  // Confirms that the test detects loaded packages.
  const built = await packagesOf(["build", "clean.yaml", "--dump", "gateway"]);
  assert.equal(
    heavy.filter((name) => built.has(name)),
    ["esbuild", "ts-morph", "json-schema-to-typescript"],
  );
});

test("check writes nothing", () => {
  assert.equal(readdirSync(cwd).sort(), ["apis", "clean.yaml"]);
});

test.run();
