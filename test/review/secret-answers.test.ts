import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { renderResults } from "../../compiler/cli/commands/test.ts";
import { dialectOf } from "../../compiler/cli/set-dialect.ts";
import { runTests } from "../../compiler/embed/unit-tests/run-tests.ts";
import { nodeFileSystem } from "../../compiler/parse/document/file-system.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { answersAbout } from "./secrets/answers.ts";
import { markedSets, marker } from "./secrets/documents.ts";
import { findSecret } from "./secrets/refusals.ts";

test("no response of a management service contains a secret of a definition or of its environment", async () => {
  const { texts, taken } = await answersAbout(markedSets().filter(({ marked }) => marked === "api.yaml"));
  assert.ok(taken > 10, `${taken} definitions were taken`);
  const shown = [...texts].flatMap(([what, text]) => {
    const found = findSecret(text);
    return found === undefined ? [] : [`${what}: ${found}`];
  });
  assert.is(shown.join("\n"), "");
});

test("no output format of unit tests shows a secret of the tested document", async () => {
  const folder = temporaryDirectory("units");
  const file = join(folder, "stream.yaml");
  writeFileSync(
    file,
    `input: { http_client: { url: "http://shop:${marker}@127.0.0.1/", headers: { Authorization: "${marker}" } } }
pipeline:
  processors:
    - http: { url: "\${ADDRESS}", verb: POST, basic_auth: { enabled: true, password: ${marker}, passwrd: ${marker} } }
    - mapping: root.total = this.quantity *
output: { drop: {} }
tests:
  - name: totals
    target_processors: /pipeline/processors
    environment: { API_TOKEN: ${marker} }
    input_batch: [{ json_content: { quantity: 2 } }]
    output_batches: [[{ json_equals: { total: 5 } }]]
`,
  );
  const environment = { ADDRESS: `http://shop:${marker}@127.0.0.1:1/`, DB_PASSWORD: marker };
  const dialect = await dialectOf({});
  if (dialect === undefined) throw new Error("no dialect");
  const results = await runTests([file], {
    dialect,
    fileSystem: nodeFileSystem,
    environment,
    resources: [],
  });
  assert.ok(results.some(({ failures }) => failures.length > 0));
  for (const format of ["pretty", "json", "junit"] as const) {
    const text = await renderResults(results, format, false);
    assert.is(findSecret(text), undefined, format);
  }
});

test.run();
