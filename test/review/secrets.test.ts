import { test } from "uvu";
import * as assert from "uvu/assert";
import { renderChanges } from "../../compiler/cli/fix-documents.ts";
import { compileDocuments } from "../../compiler/compile.ts";
import { hiddenText } from "../../compiler/diagnostics/secrets/without-secrets.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { projectRoot } from "../harness/directories.ts";
import { expectNoFindings } from "./campaign.ts";
import { print, secrets, showAll } from "./secrets/campaign.ts";
import { markedSets, marker, setWithMapping } from "./secrets/documents.ts";
import { outputsOf } from "./secrets/outputs.ts";

test("no diagnostic of a broken document shows a secret", () => expectNoFindings(secrets, [15]));

for (const set of markedSets()) {
  test(`no diagnostic of the secrets of ${set.name} shows them`, async () => {
    const shown = await showAll(print(set, "block"));
    assert.match(shown, "GW40");
    assert.not.ok(shown.includes(marker), shown);
  });
}

test("no output derived from documents shows their secrets, except the gateway itself", async () => {
  const made = await Promise.all(
    markedSets().map(async (set) => [set.name, await outputsOf(print(set, "block"))] as const),
  );
  const built = made.filter(([, outputs]) => outputs !== undefined);
  assert.ok(built.length > 20);
  for (const [name, outputs = {}] of built) {
    for (const [output, text] of Object.entries(outputs)) {
      assert.not.ok(text.includes(marker), `${output} of ${name}`);
    }
  }
});

test("descriptions of messages show no secret that a mapping assigns", async () => {
  const mapping = `root = this\nroot.password = "${marker}1"\nroot.inner.api_key = "${marker}2"\nmeta token = "${marker}3"`;
  const reported = (await outputsOf(print(setWithMapping(mapping), "block"))) ?? {};
  const { streams, schemas, changes } = reported;
  for (const text of [streams ?? "", schemas ?? "", changes ?? ""]) {
    assert.match(text, hiddenText);
    assert.not.match(text, marker);
  }
  assert.match(reported.types ?? "", "password: string;");
  assert.not.match(JSON.stringify(reported), marker);
});

const secretExpressions: readonly string[] = [
  `root.password = if this.kind == "a" { "${marker}" } else { "${marker}" }`,
  `root.password = if this.kind == "a" {\n  "${marker}"\n} else {\n  "${marker}"\n}`,
  `let api_key = match this.kind { "a" => "${marker}", _ => "${marker}" }`,
  `root.password = """\n${marker}\n"""`,
  `root.password = this.a.or("${marker}") + "${marker}"`,
  `root.login = {"name": "u", "password": "${marker}"}`,
  `root.login = {"tokens": ["${marker}", if this.a { "${marker}" } else { "" }]}`,
  `root.ok = this.token == "${marker}" || "${marker}" != this."api_key"`,
  `root.ok = @Authorization.trim() == "Bearer ${marker}"`,
  `root.ok = meta("X-Api-Key") == "${marker}"`,
  `root.ok = match this.token { "${marker}" => "a", "${marker}" => 2 }`,
  `root.ok = ["${marker}", "b"].contains(this.api_key)`,
  `root.key = this.client_secret | "${marker}"`,
  `root.key = meta("password").catch("${marker}")`,
];

test("no diagnostic shows a text that a mapping assigns to a secret or compares with one", async () => {
  for (const style of ["block", "single", "json"]) {
    for (const expression of secretExpressions) {
      const shown = await showAll(print(setWithMapping(`root = this\n${expression} +`), style));
      assert.match(shown, "GW2008", expression);
      assert.not.match(shown, marker, `${style}: ${expression}\n${shown}`);
    }
  }
});

test("expressions that read secrets are shown", async () => {
  const mapping = `root.token = this.auth.header.trimm()\nroot.ok = this.token.type() == "flaot"`;
  assert.match(
    await showAll(print(setWithMapping(mapping), "block")),
    "root.token = this.auth.header.trimm()",
  );
});

test("a source map contains no secret", async () => {
  const set = markedSets().find(({ name }) => name === "output http_client");
  assert.ok(set);
  const importing = `import "./lib.blobl"\nroot = this.apply("sign")\nroot.b = this.b.hash("hmac_sha256", "${marker}")`;
  const written = print(set, "block");
  const fileSystem = createMemoryFileSystem({
    ...written,
    "api.yaml": written["api.yaml"].replace(
      "processors: []",
      `processors: [{ mapping: ${JSON.stringify(importing)} }]`,
    ),
    "lib.blobl": `map sign {\n  let api_key = "${marker}"\n  root.id = this.id + $api_key\n}\n`,
  });
  const { files } = await compileDocuments(["gateway.yaml"], { fileSystem, packageRoot: projectRoot });
  assert.match(files?.get("gateway.ts") ?? "", marker);
  assert.match(files?.get("gateway.mjs.map") ?? "", hiddenText);
  assert.not.match(files?.get("gateway.mjs.map") ?? "", marker);
});

test("the diff of a fix shows no secret in its context", () => {
  const before = `a: 1\npassword: ${marker}\nb: 2\n`;
  const changes = renderChanges([{ path: "api.yaml", before, after: before.replace("b: 2", "b: 3") }]);
  assert.match(changes, "+ b: 3");
  assert.not.match(changes, marker);
});

test.run();
