import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkDocuments } from "../../compiler/compile.ts";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.ts";
import { runTests } from "../../compiler/embed/unit-tests/run-tests.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { locate } from "../../compiler/source/source.ts";
import { toJson } from "../../compiler/trees/document.ts";

// Templates of the reference engine: what they make stands in the place of their name, and is checked as if it had been written.

const test = suite("templates");

const stamped = `name: stamped
type: processor
fields:
  - { name: field, type: string }
  - { name: times, type: int, default: 1 }
  - { name: steps, type: unknown, kind: list, default: [] }
mapping: |
  root.try = this.steps.append({ "mutation": "root.%v = %v".format(this.field, this.times) })
tests:
  - name: as expected
    config: { field: a, times: 2 }
    expected: { try: [{ mutation: root.a = 2 }] }
  - name: not as expected
    config: { field: a }
    expected: { try: [] }
  - name: without a field
    config: {}
`;

const upper = `name: upper_input
type: input
mapping: |
  root.nats.urls = ["nats://localhost:4222"]
  root.nats.subject = "orders"
  root.processors = [{ "mapping": "root = content().uppercase()" }]
`;

const audited = `name: audited
type: output
fields:
  - { name: output, type: unknown }
  - { name: in_flight, type: int, default: 64 }
mapping: |
  root = this.output
  root.nats.max_in_flight = this.in_flight
  root.processors = [{ "mapping": "root = content().lowercase()" }]
`;

async function check(documents: Record<string, string>, templates: Record<string, string>) {
  const set = {
    "gateway.yaml": "streaming: { enabled: true }\napis: [orders.yaml]\ntemplates: [templates/*.yaml]\n",
  };
  const files = Object.entries(templates).map(([name, text]) => [`templates/${name}.yaml`, text] as const);
  return checkDocuments(["gateway.yaml"], {
    fileSystem: createMemoryFileSystem({ ...set, ...documents, ...Object.fromEntries(files) }),
    environment: {},
  });
}

function errorsOf(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ code, span, message }) => {
      const { file, start } = locate(span);
      return `${code} ${file.path}:${start.line}:${start.column} ${message}`;
    });
}

test("replaces its name, and keeps the fields beside it", async () => {
  const orders = `input:
  upper_input: {}
  processors: [{ mapping: root = content().string() + "!" }]
pipeline:
  processors: [{ stamped: { field: b, times: 7, steps: [{ stamped: { field: c } }] } }]
output:
  label: last
  audited: { in_flight: "\${IN_FLIGHT}", output: { nats: { urls: [nats://localhost:4222], subject: done } } }
  processors: [{ mapping: root = this }]
`;
  const { checked, diagnostics } = await check({ "orders.yaml": orders }, { stamped, upper, audited });
  assert.equal(errorsOf(diagnostics), []);
  const streaming = checked?.set.apis[0]?.streaming;
  assert.equal(streaming && toJson(streaming), {
    streams: {
      stream: {
        input: {
          nats: { subject: "orders", urls: ["nats://localhost:4222"] },
          processors: [
            { mapping: "root = content().uppercase()" },
            { mapping: 'root = content().string() + "!"' },
          ],
        },
        pipeline: {
          processors: [{ try: [{ try: [{ mutation: "root.c = 1" }] }, { mutation: "root.b = 7" }] }],
        },
        output: {
          nats: { max_in_flight: "${IN_FLIGHT}", subject: "done", urls: ["nats://localhost:4222"] },
          label: "last",
          processors: [{ mapping: "root = this" }, { mapping: "root = content().lowercase()" }],
        },
      },
    },
  });
});

test("reports fields at their position, and generated configuration at the position of its source", async () => {
  const orders = `input: { upper_input: {} }
pipeline:
  processors:
    - stamped: { field: [], tims: 2 }
    - stamped: { field: a, times: many }
    - stamped:
        field: a
        steps:
          - mapping: root = this.
          - kafak: {}
    - stampd: { field: a }
output: { audited: { output: { nats: { urls: [nats://localhost:4222], subjct: done } } } }
`;
  const { diagnostics } = await check({ "orders.yaml": orders }, { stamped, upper, audited });
  const places = errorsOf(diagnostics).map((text) => text.replace(/^(\S+ \S+) .*$/, "$1"));
  assert.equal(places, [
    "GW4012 orders.yaml:4:25",
    "GW4010 orders.yaml:4:29",
    "GW4012 orders.yaml:5:35",
    "GW2013 orders.yaml:9:34",
    "GW4001 orders.yaml:10:13",
    "GW4001 orders.yaml:11:7",
    "GW4010 orders.yaml:12:11",
  ]);
});

test("an invalid template is reported in its file, and not again where it is used", async () => {
  const orders = "input: { upper_input: {} }\noutput: { drop: {} }\n";
  const broken = (text: string, by: string) =>
    check({ "orders.yaml": orders }, { upper: upper.replace(text, by) });
  const misspelt = await broken("type: input", "type: input\nkind: x");
  assert.match(errorsOf(misspelt.diagnostics).join(), /^GW4010 templates\/upper\.yaml:3:1 [^,]*$/);
  const unknown = await broken('"orders"', "nope()");
  assert.match(errorsOf(unknown.diagnostics).join(), /^GW3003 templates\/upper\.yaml:5:23 [^,]*$/);
});

test("a field may be the whole result, and use the template again", async () => {
  const wrapped =
    "name: wrapped\ntype: processor\nfields: [{ name: step, type: unknown }]\nmapping: root = this.step\n";
  const orders = `input: { upper_input: {} }
pipeline: { processors: [{ wrapped: { step: { wrapped: { step: { mapping: root = this } } } } }] }
output: { drop: {} }
`;
  const { diagnostics, checked } = await check({ "orders.yaml": orders }, { upper, wrapped });
  assert.equal(errorsOf(diagnostics), []);
  assert.is(checked?.set.apis[0]?.streams[0]?.processors.at(-1)?.name, "mapping");
  const circle =
    'name: wrapped\ntype: processor\nmapping: \'root.try = [{"wrapped": {}}, {"wrapped": {}}]\'\n';
  const again = await check(
    {
      "orders.yaml":
        "input: { upper_input: {} }\npipeline: { processors: [{ wrapped: {} }] }\noutput: { drop: {} }\n",
    },
    { upper, wrapped: circle },
  );
  assert.match(errorsOf(again.diagnostics).join(), /^GW4422 orders\.yaml:2:28 [^,]*$/);
});

test("documents of one template compile alike, and templates of different sets are separate", async () => {
  const orders = "input: { upper_input: {} }\noutput: { drop: {} }\n";
  const [own, other] = await Promise.all([
    check({ "orders.yaml": orders }, { upper }),
    check({ "orders.yaml": orders }, { stamped }),
  ]);
  assert.equal(errorsOf(own.diagnostics), []);
  assert.match(errorsOf(other.diagnostics)[0] ?? "", /^GW4001 orders\.yaml:1:10 Unknown input `upper_input`/);
});

test("`sluice test` runs the tests of a template and of documents that use it", async () => {
  const tested = `input: { stdin: {} }
pipeline:
  processors: [{ stamped: { field: b, times: 3 } }]
output: { drop: {} }
tests:
  - name: stamps
    input_batch: [{ content: '{"a":1}' }]
    output_batches: [[{ json_equals: { a: 1, b: 3 } }]]
`;
  const files = { "templates/stamped.yaml": stamped, "stream.yaml": tested };
  const fileSystem = createMemoryFileSystem({
    ...files,
    "gateway.yaml": "apis: [stream.yaml]\ntemplates: [templates/*.yaml]\n",
  });
  const { readDialect } = await import("../../compiler/compile.ts");
  const { dialect } = await readDialect("gateway.yaml", { fileSystem });
  const results = await runTests(Object.keys(files), { dialect, fileSystem, environment: {} });
  assert.equal(
    results.map(({ file, line, name, failures }) => [file, line, name, failures.length]),
    [
      ["templates/stamped.yaml", 10, "as expected", 0],
      ["templates/stamped.yaml", 13, "not as expected", 1],
      ["templates/stamped.yaml", 16, "without a field", 1],
      ["stream.yaml", 6, "stamps", 0],
    ],
  );
});

test.run();
