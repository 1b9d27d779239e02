import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { temporaryDirectory } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { until } from "../harness/wait.ts";
import { buildAndStart } from "./gateway.ts";

const document = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    intake:
      input: { http_server: { path: /orders } }
      pipeline:
        processors:
          - mapping: |
              root = this
              root.total = this.price.number() * 2
      output:
        switch:
          cases:
            - check: errored()
              output: { reject: "no order: \${! this.id }" }
            - output: { inproc: priced }
    sending:
      input: { inproc: priced }
      pipeline:
        processors:
          - mapping: |
              root = this
              root.first = this.name.uppercase()
      output:
        fallback:
          - reject_errored:
              retry:
                max_retries: 2
                backoff: { initial_interval: 1ms, max_interval: 2ms }
                output: { http_client: { url: "\${SHOP}/orders", retries: 0 } }
          - http_client: { url: "\${LETTERS}/letters" }
            processors:
              - mutation: |
                  root.reason = error()
                  root.told = @fallback_error
    echo:
      input: { http_server: { path: /echo } }
      output:
        sync_response: {}
        processors:
          - mapping: root.echo = content().string()
    ticks:
      input: { generate: { mapping: root.tick = true, interval: 1ms, count: 3 } }
      output:
        broker:
          pattern: round_robin
          batching: { count: 3, period: 10s }
          outputs: [{ http_client: { url: "\${SHOP}/ticks" } }]
    copies:
      input:
        broker:
          copies: 2
          inputs: [{ generate: { mapping: root.copy = true, interval: 1ms, count: 3 } }]
      output:
        broker:
          copies: 2
          outputs: [{ http_client: { url: "\${SHOP}/copies" } }]
`;

test("orders pass switch, channel, retry and fallback; responses echo; a finite input ends", async () => {
  let outages = 2;
  const shop = await httpServer(({ body }) => {
    if (body.includes("closed")) return { status: 500 };
    outages -= 1;
    return { status: outages >= 0 && body.includes("shaky") ? 503 : 200 };
  });
  const letters = await httpServer();
  const file = join(temporaryDirectory("orders"), "orders.yaml");
  writeFileSync(file, document);
  const gateway = await buildAndStart([file], { SHOP: shop.url, LETTERS: letters.url });
  const post = async (path: string, body: string) => {
    const answer = await fetch(`${gateway.url}${path}`, { method: "POST", body });
    return [answer.status, await answer.text()];
  };
  const stateOf = async (name: string) => {
    const { streams } = JSON.parse(await (await fetch(`${gateway.adminUrl}/streams`)).text());
    return streams.find(({ stream }: { stream: string }) => stream === name)?.status;
  };

  // Wait for the ticks first: the outages are counted from the start of the orders.
  await until(async () => (await stateOf("ticks")) === "finished", { what: "the end of the ticks" });
  assert.is(shop.requests.filter(({ path }) => path === "/ticks").length, 3);
  await until(async () => (await stateOf("copies")) === "finished", { what: "the end of the copies" });
  assert.is(shop.requests.filter(({ path }) => path === "/copies").length, 2 * 2 * 3);
  outages = 2;

  assert.equal(await post("/orders", '{"id":1,"price":"2","name":"shaky"}'), [200, ""]);
  const sent = shop.requests.filter(({ path }) => path === "/orders").map(({ body }) => body);
  assert.equal(sent, Array(3).fill('{"first":"SHAKY","id":1,"name":"shaky","price":"2","total":4}'));

  assert.equal(await post("/orders", '{"id":2,"price":"much","name":"x"}'), [422, '{"error":"no order: 2"}']);

  assert.equal(await post("/orders", '{"id":3,"price":"1","name":7}'), [200, ""]);
  const [letter] = letters.requests.map(({ body }) => JSON.parse(body));
  assert.match(letter.reason, /expected string value, got number from field `this.name`/);
  assert.is(letter.told, `rejecting due to failed processing: ${letter.reason}`);

  assert.equal(await post("/orders", '{"id":4,"price":"1","name":"closed"}'), [200, ""]);
  assert.is(JSON.parse(letters.requests[1]?.body ?? "").id, 4);
  assert.is(
    shop.requests.filter(({ body }) => body.includes("closed")).length,
    3,
    "it was tried again twice",
  );

  assert.equal(await post("/echo", "hello"), [200, '{"echo":"hello"}']);
  assert.is(await gateway.program.stop(), 0);
  await Promise.all([shop.close(), letters.close()]);
});

test.run();
