import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { replaceFiles } from "../../compiler/cli/replace-files.ts";
import { warmSluice } from "../harness/sluice.ts";
import { folderWith, misspelt, relay } from "./documents.ts";

const fixable = relay().replace("path: /in }", "pth: /in } # kept");
const corrected = fixable.replace("pth", "path");

test("--fix corrects the file, reports the count on standard error, and prints the remaining diagnostics", async () => {
  const cwd = folderWith({ "api.yaml": fixable });
  const outcome = await warmSluice(["check", "--fix", "api.yaml"], { cwd });
  assert.equal(outcome, { status: 0, stdout: "", stderr: "sluice: fixed 1 problem in 1 file\n" });
  assert.is(readFileSync(join(cwd, "api.yaml"), "utf8"), corrected);
  assert.equal(readdirSync(cwd), ["api.yaml"]);
  const again = await warmSluice(["check", "--fix", "api.yaml"], { cwd });
  assert.equal(again, { status: 0, stdout: "", stderr: "" });
});

test("problems without a safe fix remain errors", async () => {
  const cwd = folderWith({ "a.yaml": misspelt, "b.yaml": fixable.replace("relay:", "other:") });
  const { status, stdout, stderr } = await warmSluice(
    ["check", "--fix", "--format", "json", "a.yaml", "b.yaml"],
    {
      cwd,
    },
  );
  assert.is(status, 1);
  assert.ok(JSON.parse(stdout).some(({ code }: { code: string }) => code === "GW4010"));
  assert.is(stderr, "sluice: fixed 1 problem in 1 file\n");
  assert.is(readFileSync(join(cwd, "a.yaml"), "utf8"), misspelt);
});

test("--dry-run shows the change, exits with 1 and writes nothing", async () => {
  const cwd = folderWith({ "api.yaml": fixable });
  const { status, stdout, stderr } = await warmSluice(["check", "--fix", "--dry-run", "api.yaml"], { cwd });
  assert.equal([status, stderr], [1, ""]);
  assert.match(stdout, "--- api.yaml\n+++ api.yaml\n");
  assert.match(stdout, "-         http_server: { pth: /in } # kept");
  assert.match(stdout, "+         http_server: { path: /in } # kept");
  assert.is(readFileSync(join(cwd, "api.yaml"), "utf8"), fixable);
  const clean = folderWith({ "api.yaml": relay() });
  const nothing = await warmSluice(["check", "--fix", "--dry-run", "api.yaml"], { cwd: clean });
  assert.equal(nothing, { status: 0, stdout: "", stderr: "" });
  assert.is((await warmSluice(["check", "--dry-run", "api.yaml"], { cwd })).status, 64);
});

test("a replaced file keeps its mode, its byte order mark and symbolic links to it", async () => {
  const cwd = folderWith({ "real/api.yaml": `\uFEFF${fixable}` });
  chmodSync(join(cwd, "real/api.yaml"), 0o640);
  symlinkSync("real/api.yaml", join(cwd, "api.yaml"));
  assert.is((await warmSluice(["check", "--fix", "api.yaml"], { cwd })).status, 0);
  assert.is(readFileSync(join(cwd, "real/api.yaml"), "utf8"), `\uFEFF${corrected}`);
  assert.is(statSync(join(cwd, "real/api.yaml")).mode & 0o777, 0o640);
  assert.equal(readdirSync(join(cwd, "real")), ["api.yaml"]);
});

test("no file is replaced if one of them changed in the meantime", async () => {
  const cwd = folderWith({ "a.yaml": "a", "b.yaml": "somebody else's" });
  const [a, b] = [join(cwd, "a.yaml"), join(cwd, "b.yaml")];
  let message = "";
  try {
    await replaceFiles([
      { path: a, before: "a", after: "A" },
      { path: b, before: "b", after: "B" },
    ]);
  } catch (error) {
    message = String(error);
  }
  assert.match(message, "changed while it was being fixed");
  assert.equal([readFileSync(a, "utf8"), readFileSync(b, "utf8")], ["a", "somebody else's"]);
  assert.equal(readdirSync(cwd), ["a.yaml", "b.yaml"]);
});

const warned = {
  "gateway.yaml":
    "apis: [api.yaml]\npolicies:\n- id: gold\n  hmac_enabled: true\n  smoothing: {} # sluice-ignore GW4018: planned\nstreaming: { enabled: true }\n",
  "api.yaml": relay(),
};

test("--max-warnings fails if there are more warnings, and says so on standard error", async () => {
  const cwd = folderWith(warned);
  const check = (limit: string) =>
    warmSluice(["check", "--format", "json", "--max-warnings", limit, "gateway.yaml"], { cwd });
  const [none, one] = [await check("0"), await check("1")];
  assert.equal([none.status, one.status], [1, 0]);
  assert.is(JSON.parse(none.stdout).length, 1);
  assert.equal([none.stderr, one.stderr], ["sluice: 1 warning is more than --max-warnings 0 allows\n", ""]);
  for (const limit of ["-1", "x", "1.5", ""]) assert.is((await check(limit)).status, 64, limit);
});

test("--max-warnings counts warnings that the output omits", async () => {
  const reads = Array.from(
    { length: 120 },
    (_, index) => `              root.a${index} = $a${index} | null\n`,
  ).join("");
  const document = relay().replace(
    "      output:",
    `      pipeline:\n        processors:\n          - mapping: |\n${reads}      output:`,
  );
  const cwd = folderWith({ "api.yaml": document });
  const check = async (limit: number) =>
    (await warmSluice(["check", "--max-warnings", String(limit), "api.yaml"], { cwd })).status;
  assert.equal([await check(119), await check(120)], [1, 0]);
});

test("a build with too many warnings writes nothing", async () => {
  const cwd = folderWith(warned);
  const { status, stderr } = await warmSluice(["build", "--max-warnings", "0", "-o", "out", "gateway.yaml"], {
    cwd,
  });
  assert.is(status, 1);
  assert.match(stderr, "more than --max-warnings 0 allows");
  assert.not.ok(readdirSync(cwd).includes("out"));
});

test("levels apply to the build: a warning raised to an error stops it, an error lowered to a warning does not", async () => {
  const rules = (text: string) => `${warned["gateway.yaml"]}rules: ${text}\n`;
  const document = relay().replace('info: { title: Relay, version: "1" }', "info: { title: Relay }");
  const build = async (text: string) => {
    const cwd = folderWith({ "gateway.yaml": rules(text), "api.yaml": document });
    const { status } = await warmSluice(["build", "-o", "out", "gateway.yaml"], { cwd });
    return [status, readdirSync(cwd).includes("out")];
  };
  assert.equal(await build("{}"), [1, false]);
  assert.equal(await build("{ GW1043: warning }"), [0, true]);
  assert.equal(await build("{ GW1043: off, reserved-field: error }"), [1, false]);
});

test("SARIF contains suppressed results with their justification, and fixes as replacements", async () => {
  const cwd = folderWith({ ...warned, "api.yaml": fixable });
  const { stdout } = await warmSluice(["check", "--format", "sarif", "gateway.yaml"], { cwd });
  const [{ results, tool }] = JSON.parse(stdout).runs;
  const bySuppressions = results.map(({ ruleId, suppressions }: Record<string, unknown>) => [
    ruleId,
    suppressions,
  ]);
  assert.equal(
    bySuppressions.filter(([code]: [string]) => code === "GW4018"),
    [
      ["GW4018", []],
      ["GW4018", [{ kind: "inSource", justification: "planned" }]],
    ],
  );
  const [fix] = results.find(({ ruleId }: { ruleId: string }) => ruleId === "GW4010").fixes;
  assert.is(fix.artifactChanges[0].artifactLocation.uri, "api.yaml");
  assert.equal(fix.artifactChanges[0].replacements, [
    {
      deletedRegion: { startLine: 8, startColumn: 24, endLine: 8, endColumn: 27 },
      insertedContent: { text: "path" },
    },
  ]);
  const rule = tool.driver.rules.find(({ id }: { id: string }) => id === "GW4018");
  assert.is(rule.defaultConfiguration.level, "warning");
});

test.run();
