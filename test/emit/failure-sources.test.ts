import { test } from "uvu";
import * as assert from "uvu/assert";
import { emitValue } from "./emitted.ts";
import { checkTypes } from "./type-check.ts";

const nats = { nats: { urls: ["nats://127.0.0.1:4222"], subject: "orders" } };

function document(last: string): object {
  const inner = { label: "inner", mapping: "root = this.a.uppercase()" };
  const processors = [
    { mapping: "root = this" },
    { branch: { processors: [inner], result_map: "root.b = this" } },
    { mapping: last },
  ];
  const stream = { input: nats, pipeline: { processors }, output: nats };
  return {
    openapi: "3.1.1",
    info: { title: "A", version: "1" },
    paths: {},
    "x-gw-streaming": { streams: { intake: stream } },
  };
}

test("processors carry their source in streams that read the source of a failure", async () => {
  const { gateway, types } = await emitValue(document("root.from = error_source_label()"));
  const flat = gateway.replace(/\s+/g, " ");
  assert.match(flat, 'label: "", path: "pipeline.processors.0", type: "mapping"');
  assert.match(flat, 'label: "inner", path: "pipeline.processors.1.branch.processors.0", type: "mapping"');
  assert.equal(
    checkTypes(
      new Map([
        ["test/emit/sources/gateway.ts", gateway],
        ["test/emit/sources/types.ts", types],
      ]),
    ).errors,
    [],
  );
});

test("the input and the buffer of a stream are identified by their paths in the document", async () => {
  const batching = { count: 2, processors: [{ mapping: "root.id = 1" }] };
  const { gateway, types } = await emitValue({
    input: { ...nats, processors: [{ mapping: "root.id = 1" }] },
    buffer: { memory: { batch_policy: { enabled: true, ...batching } } },
    output: { drop: {} },
  });
  const flat = gateway.replace(/\s+/g, " ");
  assert.match(flat, /"[^"]+:\d+", "buffer\.memory"/);
  assert.match(flat, /"[^"]+:\d+", "input\.nats"/);
  assert.match(flat, /"[^"]+:\d+", "buffer\.memory\.batch_policy\.processors\[0\]\.mapping"/);
  // The types of messages are found by the same path.
  assert.match(types, '"input.processors[0].mapping"');
  assert.match(flat, '"input.processors[0].mapping"');
});

test("other streams carry no failure sources", async () => {
  const { gateway } = await emitValue(document("root.from = error()"));
  assert.not.match(gateway, "withSource");
});

test.run();
