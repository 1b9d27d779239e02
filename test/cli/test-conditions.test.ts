// Conditions on messages in the unit tests of `sluice test`, met and not met.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { warmSluice } from "../harness/sluice.ts";
import { folderWith } from "./documents.ts";
import { results } from "./test-results.ts";

test("every condition passes and fails as expected", async () => {
  const document = `input: {}
pipeline:
  processors:
    - mapping: |
        root = this
        meta kind = "order"
tests:
  - name: met
    input_batch:
      - content: '{"a":1,"b":[1,2],"c":{"d":"x","e":null}}'
        metadata: { count: 3 }
    output_batches:
      - - content_equals: '{"a":1,"b":[1,2],"c":{"d":"x","e":null}}'
          content_matches: '^\\{"a":[0-9]+'
          json_equals: { c: { e: null, d: x }, b: [1, 2], a: 1.0 }
          json_contains: { c: { d: x }, b: [1] }
          metadata_equals: { kind: order, count: 3 }
          bloblang: this.a == 1 && @kind == "order"
          file_equals: expected.json
          file_json_equals: pretty.json
          file_json_contains: part.json
  - name: unmet
    input_batch: [{ file_content: expected.json }]
    output_batches:
      - - content_equals: '{}'
          content_matches: ^x
          json_equals: { a: 2 }
          json_contains: { c: { d: y } }
          metadata_equals: { kind: other, none: 1 }
          bloblang: this.a > 1
          file_equals: part.json
`;
  const content = '{"a":1,"b":[1,2],"c":{"d":"x","e":null}}';
  const files = {
    "doc.yaml": document,
    "expected.json": content,
    "pretty.json": JSON.stringify(JSON.parse(content), undefined, 2),
    "part.json": '{"c":{"e":null}}',
  };
  const [met, unmet = ""] = await results(files, "doc.yaml");
  assert.is(met, "met");
  const names = [...unmet.matchAll(/batch 0 message 0: (\w+):/g)].map(([, name]) => name);
  assert.equal(names, [
    "bloblang",
    "content_equals",
    "content_matches",
    "file_equals",
    "json_contains",
    "json_equals",
    "metadata_equals",
  ]);
  assert.match(unmet, '- kind: "other"\n+ kind: "order"\n- none: 1');
});

test("a failure shows a line diff", async () => {
  const cwd = folderWith({
    "doc.yaml": `pipeline: { processors: [{ mapping: root = this }] }
tests:
  - name: differs
    input_batch: [{ content: '{"a":1,"b":2,"c":3,"d":4,"e":5}' }]
    output_batches: [[{ json_equals: { a: 1, b: 2, c: 3, d: 4, e: 6 } }]]
`,
  });
  assert.equal(await warmSluice(["test", "doc.yaml"], { cwd }), {
    status: 1,
    stdout: `✗ doc.yaml:3  differs
    batch 0 message 0: json_equals: the JSON differs
      …
        "c": 3,
        "d": 4,
    -   "e": 6
    +   "e": 5
      }

0 passed, 1 failed
`,
    stderr: "",
  });
});

test("batches: several inputs, dropped messages, too many and too few outputs", async () => {
  const document = `pipeline:
  processors:
    - mapping: root = if this.drop == true { deleted() } else { this.a }
tests:
  - name: two batches
    input_batches: [[{ content: '{"a":1}' }], [{ content: '{"a":2}' }, { content: '{"drop":true}' }]]
    output_batches: [[{ content_equals: "1" }], [{ content_equals: "2" }]]
  - name: all dropped
    input_batch: [{ content: '{"drop":true}' }]
    output_batches: []
  - name: too few
    input_batch: [{ content: '{"drop":true}' }]
    output_batches: [[{ content_equals: "1" }]]
  - name: too many
    input_batch: [{ content: '{"a":1}' }, { content: '{"a":2}' }]
    output_batches: [[{}]]
  - name: not expected
    input_batch: [{ content: '{"a":1}' }]
    output_batches: []
`;
  assert.equal(await results({ "doc.yaml": document }, "doc.yaml"), [
    "two batches",
    "all dropped",
    "too few | expected 1 batches, got 0",
    "too many | batch 0: expected 1 messages, got 2 | unexpected batch 0 message 1\n+ 2",
    "not expected | unexpected batch 0\n+ 1",
  ]);
});

test("batches pass through the processors in order, those of `input_batch` last", async () => {
  const document = `pipeline:
  processors:
    - dedupe: { cache: seen, key: '\${! content() }' }
    - mapping: root = content().string() + count("passed").string()
cache_resources: [{ label: seen, memory: {} }]
tests:
  - name: repetitions are dropped from later batches
    input_batches: [[{ content: a }, { content: b }, { content: a }], [], [{ content: b }, { content: a }, { content: c }]]
    input_batch: [{ content: c }, { content: d }]
    output_batches: [[{ content_equals: a1 }, { content_equals: b2 }], [{ content_equals: c3 }], [{ content_equals: d4 }]]
`;
  assert.equal(await results({ "doc.yaml": document }, "doc.yaml"), [
    "repetitions are dropped from later batches",
  ]);
});

test("text contents are used as written, and JSON is serialised as in the reference engine", async () => {
  const document = `pipeline: { processors: [{ mapping: root = content() }] }
tests:
  - name: numbers as texts
    input_batch: [{ content: 1.50 }, { content: 0x10 }, { content: }]
    output_batches: [[{ content_equals: 1.50 }, { content_equals: 0x10 }, { content_equals: }]]
  - name: JSON
    input_batch: [{ json_content: { b: "<i>&", a: 100000000000000000000000, c: 18446744073709551615 } }]
    output_batches: [[{ content_equals: '{"a":1e+23,"b":"\\u003ci\\u003e\\u0026","c":18446744073709551615}' }]]
  - name: a last line that the file does not end
    input_batch: [{ content: a }]
    output_batches:
      - - content_equals: |
            a`;
  assert.equal(await results({ "doc.yaml": document }, "doc.yaml"), [
    "numbers as texts",
    "JSON",
    "a last line that the file does not end",
  ]);
});

test("an unexpected result of a failed message reports its error, and errors can be expected", async () => {
  const document = `pipeline: { processors: [{ mapping: root = this.a.uppercase() }] }
tests:
  - name: fails
    input_batch: [{ content: '{"a":1}' }]
    output_batches: [[{ content_equals: A }]]
  - name: expected to fail
    input_batch: [{ content: '{"a":1}' }]
    output_batches: [[{ bloblang: 'error().contains("expected string value")' }]]
`;
  const [fails = "", expected] = await results({ "doc.yaml": document }, "doc.yaml");
  assert.match(fails, "failed: failed assignment (line 1): expected string value");
  assert.is(expected, "expected to fail");
});

test("scripts and conditions can read which processor failed", async () => {
  const files = {
    "foo.yaml": `input: { kafka: { addresses: ["localhost:9092"], topics: [foo] } }
pipeline:
  processors:
    - noop: {}
    - { label: enrich, mapping: root = this.a.uppercase() }
    - catch:
        - mapping: 'root = {"label": error_source_label(), "path": error_source_path(), "type": error_source_type()}'
tests:
  - name: scripts
    input_batch: [{ content: '{"a":5}' }]
    output_batches:
      - - json_equals: { label: enrich, path: pipeline.processors.1, type: mapping }
  - { name: conditions, target_processors: enrich, input_batch: [{ content: '{"a":5}' }], output_batches: [[
      { bloblang: 'error_source_path() == "pipeline.processors.1" && error().contains("a")' }]] }
`,
  };
  assert.equal(await results(files, "foo.yaml"), ["scripts", "conditions"]);
});

test.run();
