import { test } from "uvu";
import * as assert from "uvu/assert";
import { kafka } from "../harness/brokers.ts";
import { httpServer } from "../harness/http-server.ts";
import { sse } from "../harness/sse-client.ts";
import { until } from "../harness/wait.ts";
import { type BuiltGateway, buildAndStart } from "./gateway.ts";
import { freshTopics } from "./topics.ts";

const broker = await kafka();
const KAFKA_BROKERS = broker.address;

test("chat: posted messages reach one topic, and approved ones reach browsers", async () => {
  const topics = await freshTopics(KAFKA_BROKERS, ["chat.posted", "chat.approved"]);
  const gateway = await buildAndStart(["examples/chat/chat.yaml"], { KAFKA_BROKERS });
  const posted = await topics.read("chat.posted");

  const answer = await fetch(`${gateway.url}/chat/messages`, { method: "POST", body: "Hello, everybody" });
  assert.equal([answer.status, await answer.text()], [200, ""]);
  assert.equal(await posted.take(1), ["Hello, everybody"]);

  const [first, second] = [await sse(`${gateway.url}/chat/events`), await sse(`${gateway.url}/chat/events`)];
  await topics.send("chat.approved", "one", "two", "three", "four");
  await until(() => first.events.length + second.events.length === 4, {
    what: "four events",
  });
  const received = [first, second].map(({ events }) => events.map(({ data }) => data));
  assert.equal(received.flat().toSorted(), ["four", "one", "three", "two"]);
  assert.equal(
    received.map((events) => events.length),
    [2, 2],
    "messages go round the clients",
  );

  const refused = await fetch(`${gateway.url}/chat/messages`);
  assert.equal([refused.status, refused.headers.get("allow")], [405, "POST"]);
  for (const client of [first, second]) client.close();
  await topics.close();
  await stopped(gateway);
});

test("high-value orders: filtered, enriched, flagged and delivered", async () => {
  const topics = await freshTopics(KAFKA_BROKERS, ["orders"]);
  const customers = await httpServer(({ path }) => ({
    body: { name: `Customer ${path.split("/").at(-1)}` },
  }));
  const desk = await httpServer();
  const gateway = await buildAndStart(["examples/high-value-orders/orders.yaml"], {
    KAFKA_BROKERS,
    CUSTOMERS_URL: customers.url,
    SALES_DESK_URL: desk.url,
  });
  await topics.send(
    "orders",
    '{"id":"small","total":10,"customer_id":"c1"}',
    '{"id":"large","total":1500.50,"customer_id":"c 2"}',
  );
  await until(() => desk.requests.length > 0, { what: "an order at the sales desk" });
  const [request] = desk.requests;
  assert.equal(
    [request?.method, request?.path, request?.headers["content-type"]],
    ["POST", "/orders", "application/json"],
  );
  assert.is(
    request?.body,
    '{"customer":{"name":"Customer c%202"},"customer_id":"c 2","high_value":true,"id":"large","total":1500.50}',
  );
  assert.is(desk.requests.length, 1);
  assert.equal(
    customers.requests.map(({ method }) => method),
    ["GET"],
  );
  await topics.close();
  await stopped(gateway);
  await customers.close();
  await desk.close();
});

test("legacy modernisation: polled changes become records", async () => {
  const topics = await freshTopics(KAFKA_BROKERS, ["inventory.changes"]);
  let polls = 0;
  const legacy = await httpServer(() => ({ body: { change: ++polls } }));
  const gateway = await buildAndStart(["examples/legacy-modernisation/inventory.yaml"], {
    KAFKA_BROKERS,
    LEGACY_URL: legacy.url,
    POLL_INTERVAL: "50ms",
  });
  const changes = await topics.read("inventory.changes");
  assert.equal(await changes.take(3), ['{"change":1}', '{"change":2}', '{"change":3}']);
  assert.equal([legacy.requests[0]?.method, legacy.requests[0]?.path], ["GET", "/inventory/changes"]);
  await topics.close();
  await stopped(gateway);
  await legacy.close();
});

test("orchestration: two topics are distinguished, enriched and fanned out", async () => {
  const topics = await freshTopics(KAFKA_BROKERS, ["orders", "payments", "orchestrated", "audit"]);
  const stock = await httpServer(({ body }) => ({ body: { reservation: `r-${JSON.parse(body).id}` } }));
  const ledger = await httpServer(({ body }) => ({ body: { entry: `e-${JSON.parse(body).payment}` } }));
  const warehouse = await httpServer();
  const gateway = await buildAndStart(["examples/orchestration/orchestration.yaml"], {
    KAFKA_BROKERS,
    STOCK_URL: stock.url,
    LEDGER_URL: ledger.url,
    WAREHOUSE_URL: warehouse.url,
  });
  await topics.send("orders", '{"id":"o1"}');
  await topics.send("payments", '{"id":"p1","amount":12.50}');
  const expected = [
    '{"amount":12.50,"entry":"e-p1","id":"p1","source":"payments"}',
    '{"id":"o1","reservation":"r-o1","source":"orders"}',
  ];
  for (const topic of ["orchestrated", "audit"]) {
    const values = await (await topics.read(topic)).take(2);
    assert.equal(values.toSorted(), expected, topic);
  }
  await until(() => warehouse.requests.length === 2, { what: "both at the warehouse" });
  assert.equal(warehouse.requests.map(({ body }) => body).toSorted(), [
    '{"id":"o1","source":"orders"}',
    '{"id":"p1","source":"payments"}',
  ]);
  assert.equal(
    stock.requests.map(({ path, body }) => [path, body]),
    [["/reserve", '{"id":"o1"}']],
  );
  assert.equal(
    ledger.requests.map(({ path, body }) => [path, body]),
    [["/entries", '{"amount":12.5,"payment":"p1"}']],
  );
  await topics.close();
  await stopped(gateway);
  for (const server of [stock, ledger, warehouse]) await server.close();
});

test("the broker stops", () => broker.stop());

async function stopped(gateway: BuiltGateway): Promise<void> {
  assert.is(await gateway.program.stop(), 0, gateway.program.output());
}

test.run();
