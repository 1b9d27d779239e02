import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jsonValue, property, record, assert as requireThat, string } from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { parse, stringify } from "yaml";
import { apiNameOf, readSections, withoutSections, wrapStream } from "../../cli/import/stream-text.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { warmSluice } from "../harness/sluice.ts";

const folder = temporaryDirectory("import");
const config = join(folder, "Shop orders.yaml");
writeFileSync(
  config,
  `# Orders of the shop.
http:
  address: 0.0.0.0:4195

# Where they come from.
input:
  label: orders
  kafka_franz:
    seed_brokers: [ "\${KAFKA:localhost:9092}" ]
    topics: [ orders ]
    consumer_group: shop

logger: { level: INFO }

pipeline:
  processors:
    - mapping: |
        root = this

        root.total = this.quantity * this.price
    - resource: enrich

output:
  drop: {}

processor_resources:
  - label: enrich
    mapping: 'root = this.assign({"seen": true})'

tests:
  - name: computes the total
    target_processors: /pipeline/processors
    input_batch: [ { json_content: { quantity: 2, price: 3 } } ]
    output_batches: [ [ { json_contains: { total: 6 } } ] ]

shutdown_timeout: 20s
`,
);

test("a configuration becomes a bare stream without parts that have no effect, and its tests pass", async () => {
  const output = join(folder, "stream.yaml");
  const { status, stderr } = await warmSluice(["import", "bento", config, "-o", output]);
  assert.is(status, 0, stderr);
  const text = readFileSync(output, "utf8");
  assert.ok(
    text.startsWith("# Orders of the shop.\n# Where they come from.\ninput:\n  label: orders\n"),
    text,
  );
  assert.equal(Object.keys(parse(text)), ["input", "pipeline", "output", "processor_resources", "tests"]);
  assert.match(stderr, "GW4271: `logger` of `stream` has no effect");
  assert.match(stderr, "sluice: maps: kafka_franz, mapping, ");
  assert.match(stderr, "sluice: left out: http, logger, shutdown_timeout\n");
  assert.is((await warmSluice(["test", output])).status, 0);
  assert.is((await warmSluice(["check", output, "--max-warnings", "0"])).status, 0);

  const again = await warmSluice(["import", "bento", config, "-o", output]);
  assert.is(again.status, 1);
  assert.match(again.stderr, "cannot write");
  assert.is(readFileSync(output, "utf8"), text);
});

test("--openapi imports it as an API with the same stream", async () => {
  const { status, stdout, stderr } = await warmSluice(["import", "bento", config, "--openapi"]);
  assert.is(status, 0, stderr);
  const document = parse(stdout);
  const { tests, http, logger, shutdown_timeout: timeout, ...stream } = parse(readFileSync(config, "utf8"));
  assert.ok(tests && http && logger && timeout);
  assert.equal(document["x-gw-streaming"].streams, { "shop-orders": stream });
  assert.is(document["x-gw-api-gateway"].info.id, "shop-orders");
  const output = join(folder, "api.yaml");
  writeFileSync(output, stdout);
  assert.is((await warmSluice(["check", output, "--max-warnings", "0"])).status, 0);
  assert.equal(document["x-tests"], tests);
  const tested = await warmSluice(["test", output]);
  assert.is(tested.status, 0, tested.stdout + tested.stderr);
});

test("a mistake in a unit test is a diagnostic at its line, and nothing is written", async () => {
  const odd = join(folder, "odd-tests.yaml");
  const text = readFileSync(config, "utf8").replace("json_contains", "json_contians");
  writeFileSync(odd, text);
  for (const options of [[], ["--openapi"]]) {
    const { status, stdout, stderr } = await warmSluice(["import", "bento", odd, ...options]);
    assert.equal([status, stdout], [1, ""]);
    const line = text.split("\n").findIndex((each) => each.includes("json_contians")) + 1;
    assert.match(stderr, "GW4010: Unknown field `json_contians`");
    assert.match(stderr, `odd-tests.yaml:${line}:`);
  }
});

test("an indented configuration stays valid when sections are cut", async () => {
  const indented = join(folder, "indented.yaml");
  writeFileSync(indented, readFileSync(config, "utf8").replaceAll(/^(?=.)/gm, "  "));
  for (const options of [[], ["--openapi"]]) {
    const { status, stderr } = await warmSluice(["import", "bento", indented, ...options]);
    assert.is(status, 0, stderr);
  }
});

test("each part that cannot be imported is a diagnostic at its line, and nothing is written", async () => {
  const bad = join(folder, "bad.yaml");
  const text = `input:
  aws_sqs: { url: "https://queue" }
pipeline:
  processors:
    - mapping: root = this.uppercased()
    - gcp_bigquery_select: { project: x }
output:
  drop: {}
metrics:
  prometheus: {}
`;
  writeFileSync(bad, text);
  const output = join(folder, "never.yaml");
  const { status, stderr } = await warmSluice(["import", "bento", bad, "--format", "json", "-o", output]);
  assert.is(status, 1);
  const found = JSON.parse(stderr.slice(0, stderr.lastIndexOf("sluice: ")));
  const places = found.map((each: { code: string; line: number }) => [each.code, each.line]);
  assert.equal(places, [
    ["GW4002", 2],
    ["GW3004", 5],
    ["GW4002", 6],
    ["GW4271", 9],
  ]);
  assert.match(stderr, "has parts that do not map; nothing was written");
  assert.not.ok(existsSync(output));
});

test("unsafe components that the gateway owner must allow are listed, and do not prevent the import", async () => {
  const local = join(folder, "local.yaml");
  const output = join(folder, "local-stream.yaml");
  writeFileSync(
    local,
    `input:
  stdin: {}
pipeline:
  processors:
    - command: { name: sed }
output:
  stdout: {}
logger: {}
`,
  );
  const { status, stderr } = await warmSluice(["import", "bento", local, "-o", output]);
  assert.is(status, 0, stderr);
  assert.not.match(stderr, "GW4087");
  assert.match(stderr, "`allow_unsafe` of `gateway.yaml` has to name: stdin, command:sed, stdout\n");
  const set = join(folder, "gateway.yaml");
  const allow_unsafe = ["stdin", "command:sed", "stdout"];
  writeFileSync(
    set,
    JSON.stringify({ streaming: { enabled: true }, allow_unsafe, apis: ["local-stream.yaml"] }),
  );
  assert.is((await warmSluice(["check", set, "--max-warnings", "0"])).status, 0);

  writeFileSync(local, "input:\n  stdin: {}\noutput:\n  aws_s3: { bucket: a }\n");
  const bad = await warmSluice(["import", "bento", local]);
  assert.is(bad.status, 1);
  assert.match(bad.stderr, "GW4002");
  assert.not.match(bad.stderr, "GW4087");
});

test("an unreadable configuration is one diagnostic", async () => {
  const { status, stderr } = await warmSluice(["import", "bento", join(folder, "nowhere.yaml")]);
  assert.is(status, 1);
  assert.match(stderr, "GW1001");
  assert.not.match(stderr, "do not map");
});

test("any stream keeps its meaning when wrapped in an OpenAPI document", () => {
  requireThat(
    property(record({ input: jsonValue(), cut: jsonValue(), output: string() }), (stream) => {
      const text = stringify(stream);
      const wrapped = wrapStream(
        withoutSections(
          text,
          readSections(text).filter(({ name }) => name === "cut"),
        ),
        "a",
      );
      const { input, output } = parse(text);
      assert.equal(parse(wrapped)["x-gw-streaming"].streams.a, { input, output });
    }),
    { seed: 42, numRuns: 300 },
  );
  assert.is(
    parse(wrapStream("%YAML 1.2\n--- # one\ninput: 1\n...\n", "b"))["x-gw-streaming"].streams.b.input,
    1,
  );
});

test("API names are derived from file names", () => {
  const names = ["/a/Shop orders.yaml", "C:\\x\\7.yml", "ü.yaml", "a_b.c.yaml"];
  assert.equal(names.map(apiNameOf), ["shop-orders", "stream-7", "stream", "a-b-c"]);
});

test.run();
