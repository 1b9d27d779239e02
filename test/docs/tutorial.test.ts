// Runs the tutorial with its gateway; `blocks.test.ts` runs its other commands.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { addressesOf } from "../e2e/gateway.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { sluice, startSluice } from "../harness/sluice.ts";
import { sse } from "../harness/sse-client.ts";
import { until } from "../harness/wait.ts";

const folder = join(temporaryDirectory("tutorial"), "shop");
assert.is((await sluice(["init", folder])).status, 0);
const program = startSluice(["run", "gateway.yaml", "--watch"], {
  cwd: folder,
  env: { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0" },
});
const { url } = await addressesOf(program);
const post = (order: object) =>
  fetch(`${url}/orders/new`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(order),
  });

test("an order becomes an event with its total, and its client gets 200", async () => {
  const client = await sse(`${url}/orders/events`);
  const answer = await post({ id: "a1", quantity: 3, price: 19.9 });
  assert.is(answer.status, 200);
  assert.equal(JSON.parse((await client.next()).data), { id: "a1", quantity: 3, price: 19.9, total: 60 });
  client.close();
});

test("an order without a quantity reaches no client, and the log has the place and the reason", async () => {
  const client = await sse(`${url}/orders/events`);
  assert.is((await post({ id: "a2", price: 19.9 })).status, 422);
  const [line] = await program.matching(/^\{.*"msg":"batch not delivered".*\}$/m);
  const { stream, component, at, reason, detail } = JSON.parse(line);
  const place = readFileSync(join(folder, "orders.yaml"), "utf8")
    .split("\n")
    .findIndex((text) => text.includes("- mapping:"));
  assert.equal(
    [stream, component, at, reason],
    ["orders", "pipeline.processors[0].mapping", `orders.yaml:${place + 1}`, "mapping_failed"],
  );
  assert.match(detail, "from field `this.quantity`");
  assert.is(client.events.length, 0);
  client.close();
});

test("a misspelt field is reported with its line, and the gateway keeps running", async () => {
  const file = join(folder, "orders.yaml");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace("this.quantity *", "this.quantiy *"));
  await program.matching(/quantiy/);
  const client = await sse(`${url}/orders/events`);
  assert.is((await post({ id: "a3", quantity: 1, price: 1 })).status, 200);
  client.close();
  writeFileSync(file, text);
  await until(async () => (await sluice(["check", "gateway.yaml"], { cwd: folder })).status === 0);
});

test("the gateway exits with 0 on a signal", async () => {
  assert.is(await program.stop(), 0);
});

test.run();
