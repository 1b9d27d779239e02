import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startSluice, warmSluice } from "../harness/sluice.ts";
import { folderWith, relay } from "./documents.ts";
import { results } from "./test-results.ts";

const pipeline = `input: { kafka: { addresses: ["localhost:9092"], topics: [foo] } }
pipeline:
  processors:
    - mapping: 'root = "simon says: " + content()'
    - label: get_foobar_api
      http: { url: "http://127.0.0.1:9/foobar", verb: GET }
    - mapping: root = content().uppercase()
`;

const mocked = (key: string) => `  - name: mocks by ${key}
    target_processors: '/pipeline/processors'
    mocks:
      ${key}:
        mapping: 'root = content().string() + " this is some mock content"'
    input_batch:
      - content: "hello world"
    output_batches:
      - - content_equals: "SIMON SAYS: HELLO WORLD THIS IS SOME MOCK CONTENT"
`;

test("tests in the document run, with mocks by label and by pointer", async () => {
  const cwd = folderWith({
    "foo.yaml": `${pipeline}tests:\n${mocked("get_foobar_api")}${mocked("/pipeline/processors/1")}`,
  });
  const outcome = await warmSluice(["test", "foo.yaml"], { cwd });
  assert.equal(outcome, {
    status: 0,
    stdout:
      "✓ foo.yaml:9  mocks by get_foobar_api\n✓ foo.yaml:18  mocks by /pipeline/processors/1\n\n2 passed\n",
    stderr: "",
  });
});

test("definitions next to the document are found from either file and from the folder", async () => {
  for (const suffix of ["_test", "_benthos_test", "_bento_test"]) {
    const files = {
      "apis/foo.yaml": pipeline,
      [`apis/foo${suffix}.yaml`]: `tests:\n${mocked("get_foobar_api")}`,
    };
    for (const path of ["apis/foo.yaml", `apis/foo${suffix}.yaml`, "apis", "./...", "./apis/..."]) {
      assert.equal(await results(files, path), ["mocks by get_foobar_api"], `${path} ${suffix}`);
    }
  }
});

test("a mapping is tested by the definition next to it", async () => {
  const files = {
    "cities.blobl":
      'root.Cities = this.locations.filter(l -> l.state == "WA").map_each(l -> l.name).join(", ")\n',
    "cities_test.yaml": `tests:
  - name: cities
    target_mapping: ./cities.blobl
    input_batch:
      - content: '{"locations":[{"name":"Seattle","state":"WA"},{"name":"New York","state":"NY"}]}'
    output_batches:
      - - json_equals: { "Cities": "Seattle" }
`,
  };
  assert.equal(await results(files, "cities.blobl"), ["cities"]);
});

test("targets: a label, one processor, a processor of another file, a stream of an API", async () => {
  const files = {
    "foo.yaml": `${pipeline}    - { label: twice, mapping: "root = content() + content()" }\n`,
    "api.yaml": relay().replace(
      "      output:",
      "      pipeline: { processors: [{ mapping: root.a = this.a + 1 }] }\n      output:",
    ),
    "tests/first.yaml": `tests:
  - name: label
    target_processors: ../foo.yaml#twice
    input_batch: [{ content: ab }]
    output_batches: [[{ content_equals: abab }]]
  - name: one processor
    target_processors: ../foo.yaml#/pipeline/processors/2
    input_batch: [{ content: ab }]
    output_batches: [[{ content_equals: AB }]]
  - name: stream
    target_processors: ../api.yaml#/pipeline/processors
    input_batch: [{ json_content: { a: 1 } }]
    output_batches: [[{ json_equals: { a: 2 } }]]
  - name: stream in full
    target_processors: ../api.yaml#/x-gw-streaming/streams/relay/pipeline/processors
    input_batch: [{ json_content: { a: 1 } }]
    output_batches: [[{ json_equals: '{"a":2.0}' }]]
  - name: nowhere
    target_processors: ../api.yaml#/nowhere
    input_batch: [{ content: "{}" }]
    output_batches: []
  - name: misspelt
    target_processors: ../api.yaml#/pipeline/procesors
    input_batch: [{ content: "{}" }]
    output_batches: []
`,
  };
  const found = await results(files, "tests/first.yaml");
  assert.equal(found.slice(0, 4), ["label", "one processor", "stream", "stream in full"]);
  assert.match(found[4] ?? "", /^nowhere \| error GW1030: .*`\/nowhere` does not exist.*first\.yaml:19:24/s);
  assert.match(found[5] ?? "", /^misspelt \| error GW1030: .*Did you mean `\/pipeline\/processors`\?/s);
  assert.is(found.length, 6);
});

test("tests in a document on a single line are found", async () => {
  const raised = {
    name: "raised",
    input_batch: [{ content: "ab" }],
    output_batches: [[{ content_equals: "AB" }]],
  };
  const document = {
    pipeline: { processors: [{ mapping: "root = content().uppercase()" }] },
    tests: [raised],
  };
  assert.equal(await results({ "foo.json": JSON.stringify(document) }, "foo.json"), ["raised"]);
});

test("resources of the document are run and mocked by label, and a mock may be appended at the end", async () => {
  const document = `pipeline:
  processors:
    - resource: submit
processor_resources:
  - label: submit
    http: { url: "http://127.0.0.1:9/" }
  - { label: upper, mapping: root = content().uppercase() }
  - { label: again, resource: again }
tests:
  - name: mocked
    mocks: { submit: { mapping: 'root = {"abc": 123}' } }
    input_batch: [{ json_content: { foo: bar } }]
    output_batches: [[{ json_equals: { abc: 123 }, bloblang: "!errored()" }]]
  - name: appended
    mocks:
      submit: { mapping: root = throw("it failed") }
      /pipeline/processors/-: { mapping: root = error() }
    input_batch: [{ content: a }]
    output_batches: [[{ content_equals: "failed assignment (line 1): it failed" }]]
  - name: all resources
    target_processors: /processor_resources/1
    input_batch: [{ content: a }]
    output_batches: [[{ content_equals: A }]]
  - name: itself
    target_processors: again
    input_batch: [{ content: a }]
    output_batches: [[{}]]
`;
  const [mocked, appended, resource, itself = ""] = await results({ "doc.yaml": document }, "doc.yaml");
  assert.equal([mocked, appended, resource], ["mocked", "appended", "all resources"]);
  assert.match(itself, "GW4144");
});

test("each test has its own environment", async () => {
  const document = `pipeline:
  processors:
    - mapping: |
        root.text = "\${SLUICE_TEST_A:woof}"
        root.read = env("SLUICE_TEST_B").or("meow")
tests:
  - name: defaults
    input_batch: [{ content: "{}" }]
    output_batches: [[{ json_equals: { text: woof, read: meow } }]]
  - name: given
    environment: { SLUICE_TEST_A: quack, SLUICE_TEST_B: moo }
    input_batch: [{ content: "{}" }]
    output_batches: [[{ json_equals: { text: quack, read: moo } }]]
  - name: defaults again
    input_batch: [{ content: "{}" }]
    output_batches: [[{ json_equals: { text: woof, read: meow } }]]
`;
  assert.equal(await results({ "doc.yaml": document }, "doc.yaml"), ["defaults", "given", "defaults again"]);
});

test("a target with errors fails with its diagnostics, and an unsupported component unless it is mocked", async () => {
  const document = `pipeline: { processors: [{ mapping: root = this.upercase() }, { label: gone, javascript: { code: a } }] }
tests:
  - name: broken
    target_processors: /pipeline/processors/0
    input_batch: [{ content: "{}" }]
    output_batches: [[{}]]
  - name: unsupported
    target_processors: gone
    input_batch: [{ content: "{}" }]
    output_batches: [[{}]]
  - name: mocked
    target_processors: gone
    mocks: { gone: root = "slept" }
    input_batch: [{ content: "{}" }]
    output_batches: [[{ content_equals: slept }]]
`;
  const [broken = "", unsupported = "", mocks] = await results({ "doc.yaml": document }, "doc.yaml");
  assert.match(broken, "GW3004");
  assert.match(broken, "doc.yaml:1:");
  assert.match(unsupported, "GW4002");
  assert.is(mocks, "mocked");
});

test("a misspelt field of a definition fails its test", async () => {
  const document = `pipeline: { processors: [{ mapping: root = this }] }
tests:
  - name: misspelt
    input_batch: [{ content: "{}" }]
    output_batches: [[{ content_equal: "{}" }]]
`;
  const [misspelt = ""] = await results({ "doc.yaml": document }, "doc.yaml");
  assert.match(
    misspelt,
    /^misspelt \| error GW4010: Unknown field `content_equal`.*doc\.yaml:5:25.*`content_equals`/s,
  );
});

test("results are printed in the JUnit format", async () => {
  const cwd = folderWith({
    "doc.yaml": `pipeline: { processors: [{ mapping: root = this.a }] }
tests:
  - name: passes
    input_batch: [{ content: '{"a":"<"}' }]
    output_batches: [[{ content_equals: "<" }]]
  - name: fails & says so
    input_batch: [{ content: '{"a":"<"}' }]
    output_batches: [[{ content_equals: ">" }]]
`,
  });
  const { status, stdout } = await warmSluice(["test", "doc.yaml", "--format", "junit"], { cwd });
  assert.is(status, 1);
  assert.is(
    stdout.replaceAll(/time="\d+\.\d{3}"/g, 'time="…"'),
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" failures="1" time="…">
  <testsuite name="doc.yaml" tests="2" failures="1" time="…">
    <testcase name="passes" classname="doc.yaml" file="doc.yaml" line="3" time="…"/>
    <testcase name="fails &amp; says so" classname="doc.yaml" file="doc.yaml" line="6" time="…">
      <failure message="batch 0 message 0: content_equals: the content differs">batch 0 message 0: content_equals: the content differs
- &gt;
+ &lt;</failure>
    </testcase>
  </testsuite>
</testsuites>
`,
  );
});

test("the exit code is 1 without tests and for a missing file or folder", async () => {
  const cwd = folderWith({ "foo.yaml": pipeline, "other.yaml": "just: [broken" });
  const none = await warmSluice(["test", "."], { cwd });
  assert.equal(none, { status: 1, stdout: "", stderr: "sluice: no tests found in .\n" });
  const missing = await warmSluice(["test", "nowhere.yaml"], { cwd });
  assert.is(missing.status, 1);
  assert.match(missing.stdout, "GW1001");
  const nothing = await warmSluice(["test", "nowhere", "."], { cwd });
  assert.equal(nothing, { status: 1, stdout: "", stderr: "sluice: there is no file or folder `nowhere`\n" });
});

test("--watch reruns tests when a file that they read changes", async () => {
  const definition = (text: string) => `tests:
  - name: watched
    target_mapping: a.blobl
    input_batch: [{ content: "{}" }]
    output_batches: [[{ content_equals: "${text}" }]]
`;
  const cwd = folderWith({ "a.blobl": 'root = "one"', "a_test.yaml": definition("two") });
  const program = startSluice(["test", "a_test.yaml", "--watch"], { cwd });
  await program.matching(/0 passed, 1 failed/);
  writeFileSync(join(cwd, "a.blobl"), 'root = "two"');
  await program.matching(/\n1 passed/);
  assert.is(await program.stop(), 0);
});

test("--watch notices a change of an imported mapping", async () => {
  const cwd = folderWith({
    "maps.blobl": 'map shout { root = "one" }',
    "doc.yaml": `pipeline:
  processors: [{ mapping: "import \\"./maps.blobl\\"\\nroot = this.apply(\\"shout\\")" }]
tests: [{ name: watched, input_batch: [{ content: "{}" }], output_batches: [[{ content_equals: two }]] }]
`,
  });
  const program = startSluice(["test", "doc.yaml", "--watch"], { cwd });
  await program.matching(/0 passed, 1 failed/);
  writeFileSync(join(cwd, "maps.blobl"), 'map shout { root = "two" }');
  await program.matching(/\n1 passed/);
  assert.is(await program.stop(), 0);
});

test("references within the document and to other files are followed, with variables resolved in each", async () => {
  const files = {
    "parts/steps.yaml":
      'shout: { label: shout, mapping: "root = content().uppercase() + \\"${MARK:!}\\"" }\n',
    "doc.yaml": `pipeline:
  processors:
    - $ref: "#/steps/twice"
    - $ref: parts/steps.yaml#/shout
steps: { twice: { mapping: root = content() + content() } }
tests:
  - name: both
    input_batch: [{ content: ab }]
    output_batches: [[{ content_equals: ABAB! }]]
  - name: by the label in the other file
    environment: { MARK: "?" }
    target_processors: shout
    input_batch: [{ content: ab, metadata: { $ref: nowhere } }]
    output_batches: [[{ content_equals: AB? }]]
  - name: mocked there
    mocks: { shout: 'root = content() + "-"' }
    input_batch: [{ content: ab }]
    output_batches: [[{ content_equals: abab- }]]
`,
    "broken.yaml": `pipeline: { processors: [{ $ref: "#/nowhere" }] }
tests: [{ name: broken, input_batch: [{ content: a }], output_batches: [[{}]] }]
`,
  };
  assert.equal(await results(files, "doc.yaml"), ["both", "by the label in the other file", "mocked there"]);
  const [broken = ""] = await results(files, "broken.yaml");
  assert.match(broken, /GW\d+.*#\/nowhere/s);
});

test("--resources adds components that documents refer to by label", async () => {
  const files = {
    "resources/upper.yaml":
      "processor_resources: [{ label: upper, mapping: root = content().uppercase() }]\n",
    "resources/twice.yaml":
      "processor_resources: [{ label: twice, mapping: root = content() + content() }]\n",
    "doc.yaml": `pipeline: { processors: [{ resource: upper }, { resource: twice }] }
tests:
  - name: run
    input_batch: [{ content: ab }]
    output_batches: [[{ content_equals: ABAB }]]
  - name: targets
    target_processors: twice
    input_batch: [{ content: ab }]
    output_batches: [[{ content_equals: abab }]]
  - name: mocks
    mocks: { upper: { mapping: 'root = "x"' } }
    input_batch: [{ content: ab }]
    output_batches: [[{ content_equals: xx }]]
`,
  };
  const names = ["run", "targets", "mocks"];
  assert.equal(
    await results(files, "-r", "resources/upper.yaml", "-r", "resources/twice.yaml", "doc.yaml"),
    names,
  );
  assert.equal(await results(files, "doc.yaml", "--resources", "resources/*.yaml"), names);
  const [missing = ""] = await results(files, "doc.yaml", "-r", "resources/uper.yaml");
  assert.match(missing, /GW1001.*resources\/uper\.yaml/s);
});

test("calls that always fail on literal arguments are rejected before the test runs", async () => {
  const document = `pipeline: { processors: [{ mapping: 'root = "nope".ts_parse("2006")' }] }
tests: [{ name: refused, input_batch: [{ content: a }], output_batches: [[{}]] }]
`;
  const [refused = ""] = await results({ "doc.yaml": document }, "doc.yaml");
  assert.match(refused, /^refused \| error GW\d+: .*doc\.yaml:1:/s);
});

test("a bare stream may contain tests and passes check", async () => {
  const document = `input: { http_server: { path: /in } }
pipeline: { processors: [{ mapping: root = this }] }
output: { http_server: { path: /out } }
tests: [{ name: same, input_batch: [{ content: "{}" }], output_batches: [[{ content_equals: "{}" }]] }]
`;
  const cwd = folderWith({ "stream.yaml": document });
  assert.equal(await warmSluice(["check", "stream.yaml"], { cwd }), { status: 0, stdout: "", stderr: "" });
  assert.is((await warmSluice(["test", "stream.yaml"], { cwd })).status, 0);
});

test.run();
