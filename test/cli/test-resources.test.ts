import { test } from "uvu";
import * as assert from "uvu/assert";
import { results } from "./test-results.ts";

test("caches are in memory, whatever their type in the gateway, and rate limits never block", async () => {
  const stream = `pipeline:
        processors:
          - label: keep
            cache: { resource: seen, operator: set, key: a, value: '\${! content() }' }
          - rate_limit: { resource: slow }
          - mapping: root = cache_get("prices", content().string())
      cache_resources:
        - { label: seen, redis: { url: "redis://127.0.0.1:9" } }
        - { label: prices, memory: { init_values: { apple: "3" } } }
      rate_limit_resources: [{ label: slow, local: { count: 1, interval: 1h } }]`;
  const document = `openapi: 3.1.0
info: { title: Orders, version: "1" }
paths: {}
x-gw-streaming:
  streams:
    orders:
      ${stream}
    others:
      pipeline: { processors: [] }
      cache_resources: [{ label: seen, memory: {} }]
x-tests:
  - name: known
    target_processors: /x-gw-streaming/streams/orders/pipeline/processors
    input_batch: [{ content: apple }, { content: apple }, { content: pear }]
    output_batches: [[{ content_equals: "3" }, { content_equals: "3" }, { bloblang: errored() }]]
  - name: by label
    target_processors: keep
    input_batch: [{ content: apple }]
    output_batches: [[{ content_equals: apple }]]
`;
  assert.equal(await results({ "doc.yaml": document }, "doc.yaml"), ["known", "by label"]);
});

test.run();
