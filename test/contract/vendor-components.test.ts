// The components that the schema of the gateway's vendor lists: each is there, or the compiler says that it is not.

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

/** Names that are no component of a catalogue, each with why. */
const absent: Readonly<Record<string, string>> = {
  command: "runs a command for each message, which the vendor's gateway takes out of documents as well",
  resource: "stands for a declared component",
  subprocess: "runs a command, which the vendor's gateway takes out of documents as well",
};

for (const [role, names] of Object.entries(listed)) {
  for (const name of names) {
    test(`the ${role} ${name} is known`, async () => {
      const isThere = coreCatalogue.find(role as keyof typeof listed, name) !== undefined;
      assert.ok(isThere || absent[name] !== undefined, "it is missing without a reason");
      if (isThere) return;
      const stream = {
        input: { generate: { mapping: "root = 1" } },
        pipeline: { processors: [{ [name]: {} }] },
        output: { drop: {} },
      };
      const fileSystem = createMemoryFileSystem({ "stream.json": JSON.stringify(stream) });
      const { diagnostics } = await checkDocuments(["stream.json"], { fileSystem });
      const codes = diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
      assert.equal(codes, [name === "resource" ? "GW4143" : "GW4002"]);
    });
  }
}

test.run();
