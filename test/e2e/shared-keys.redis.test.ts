// Gateways that share the keys of delivered messages in Redis: nothing is lost while Redis restarts, and a gateway that is
// killed and started again knows the messages delivered before.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startRedis } from "../harness/brokers/redis.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { until } from "../harness/wait.ts";
import { type BuiltGateway, buildAndStart, isReady } from "./gateway.ts";

const total = 300;
const numbers = Array.from({ length: total }, (_, index) => `order-${index}`);

function writeDocument(redisUrl: string, sinkUrl: string): string {
  const document = join(temporaryDirectory("document"), "api.yaml");
  writeFileSync(
    document,
    `
openapi: 3.1.0
info: { title: Shared, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    orders:
      input: { http_server: { path: /orders, timeout: 60s } }
      pipeline:
        processors:
          - rate_limit: { resource: generous }
          - dedupe: { cache: seen, key: '\${! content() }' }
          - cache: { resource: seen, operator: set, key: 'last-\${! content() }', value: '\${! content() }' }
      output: { http_client: { url: "${sinkUrl}", retries: 0, timeout: 60s } }
      cache_resources:
        - label: seen
          redis:
            url: "\${REDIS_URL:${redisUrl}}"
            prefix: "orders:"
            default_ttl: 1h
            retries: { initial_interval: 10ms, max_interval: 50ms, max_elapsed_time: 100ms }
      rate_limit_resources:
        - label: generous
          redis: { url: "${redisUrl}", key: orders-limit, count: 1000000, interval: 1m }
`.trimStart(),
  );
  return document;
}

/** Posts a message until it is accepted; resolves with the number of failures before that. */
async function post({ url }: BuiltGateway, text: string): Promise<number> {
  for (let failures = 0; ; failures++) {
    const { status } = await fetch(`${url}/orders`, { method: "POST", body: text });
    if (status === 200) return failures;
    assert.ok(status === 408 || status >= 502, `${text} was answered with ${status}`);
  }
}

test("nothing is lost while Redis restarts, and delivered messages are still deduplicated afterwards", async () => {
  const directory = temporaryDirectory("redis");
  let redis = await startRedis({ directory });
  const sink = await httpServer();
  const document = writeDocument(redis.address, sink.url);
  let gateway = await buildAndStart([document]);

  const posting = numbers.map((text) => async () => post(gateway, text));
  const workers = Array.from({ length: 8 }, async () => {
    let failures = 0;
    for (let next = posting.shift(); next !== undefined; next = posting.shift()) failures += await next();
    return failures;
  });
  await until(() => sink.requests.length > total / 3, { what: "a third of the messages" });
  await redis.stop();
  await until(async () => !(await isReady(gateway)), {
    what: "the loss of Redis to be seen",
  });
  redis = await startRedis({ directory, port: Number(new URL(redis.address).port) });
  await Promise.all(workers);

  const delivered = () => sink.requests.map(({ body }) => body);
  assert.equal([...new Set(delivered())].sort(), [...numbers].sort(), "each came");
  assert.ok(delivered().length <= total + 8, `${delivered().length - total} came twice`);

  await gateway.program.stop("SIGKILL");
  gateway = await buildAndStart([document]);
  const before = sink.requests.length;
  for (const text of numbers) await post(gateway, text);
  // Keys that could not be written while Redis was away are unknown; at most this many messages were in flight.
  assert.ok(sink.requests.length - before <= 8, `${sink.requests.length - before} came again`);
  assert.is(await gateway.program.stop(), 0, gateway.program.output());
  await sink.close();
  await redis.stop();
});

test.run();
