// Every component in the schema of the gateway's vendor exists.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { checkDocuments } from "../../compiler/compile.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { coreCatalogue } from "../../schemas/catalogue.ts";

const ends = ["amqp_0_9", "amqp_1", "broker", "http_client", "http_server", "kafka", "mqtt"];

const listed = {
  input: ends,
  output: ends,
  processor: [
    ...["archive", "bloblang", "bounds_check", "branch", "cache", "cached", "catch", "command", "compress"],
    ...["decompress", "dedupe", "for_each", "grok", "group_by", "group_by_value", "http", "insert_part"],
    ...["jmespath", "jq", "json_schema", "log", "mapping", "metric", "mutation", "noop", "parallel"],
    ...["parse_log", "processors", "rate_limit", "resource", "retry", "select_parts", "sleep", "split"],
    ...["subprocess", "switch", "sync_response", "try", "unarchive", "while", "workflow"],
  ],
} as const;

for (const [role, names] of Object.entries(listed)) {
  for (const name of names.filter((each) => each !== "resource")) {
    test(`the ${role} ${name} exists`, () => {
      assert.ok(coreCatalogue.find(role as keyof typeof listed, name));
    });
  }
}

test("a processor `resource` must name a declared resource", async () => {
  const stream = {
    input: { generate: { mapping: "root = 1" } },
    pipeline: { processors: [{ resource: "steps" }] },
    output: { drop: {} },
  };
  const codesOf = async (document: object) => {
    const fileSystem = createMemoryFileSystem({ "stream.json": JSON.stringify(document) });
    const { diagnostics } = await checkDocuments(["stream.json"], { fileSystem });
    return diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
  };
  assert.equal(await codesOf(stream), ["GW4142"]);
  assert.equal(await codesOf({ ...stream, processor_resources: [{ label: "steps", noop: {} }] }), []);
});

test.run();
