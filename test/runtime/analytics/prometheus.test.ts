import { once } from "node:events";
import { connect } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { measure } from "../../../runtime/analytics/measure.ts";
import { observe } from "../../../runtime/analytics/observe.ts";
import { prometheus } from "../../../runtime/analytics/prometheus.ts";
import type { Processor } from "../../../runtime/component/component.ts";
import { createRedelivery } from "../../../runtime/component/redelivery.ts";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { httpServerOutput } from "../../../runtime/connectors/http-server/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import type { StreamFactory } from "../../../runtime/gateway.ts";
import { Message } from "../../../runtime/message/message.ts";
import { deadLetters } from "../../../runtime/stream/dead-letters.ts";
import { perRequest } from "../../../runtime/stream/instances/stream-instances.ts";
import { httpServer } from "../../harness/http-server.ts";
import { sse } from "../../harness/sse-client.ts";
import { eventually, until } from "../../harness/wait.ts";
import { socket } from "../../harness/websocket-client.ts";
import { manualInput, memoryOutput } from "../gateway/components.ts";
import {
  ordersApi,
  startGateway,
  type TestGateway,
  type TestGatewayOptions,
} from "../gateway/start-gateway.ts";
import { rawClient } from "../listener/raw-client.ts";
import { parseExposition, type Samples } from "./exposition.ts";

const test = suite("prometheus");

const start = (streams: Readonly<Record<string, StreamFactory>>, options: TestGatewayOptions = {}) =>
  startGateway([ordersApi(streams)], { analytics: () => observe(...measure(prometheus())), ...options });

async function scrape(gateway: TestGateway): Promise<Samples> {
  return parseExposition(await (await fetch(`${gateway.admin}/metrics`)).text());
}

/** Returns the samples of one metric by their labels. */
const of = (samples: Samples, name: string) =>
  Object.fromEntries(
    [...samples].flatMap(([key, value]) =>
      key === name || key.startsWith(`${name}{`) ? [[key.slice(name.length), value]] : [],
    ),
  );

const intake = () => ({
  input: httpServerInput({ path: "/in/{id}" }),
  output: memoryOutput(),
});

test("a request with a malformed body is counted once, with the status it was answered with", async () => {
  const gateway = await start({ intake });
  const head = "POST /orders/in/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  const client = await rawClient(Number(new URL(gateway.url).port));
  client.write(`${head}no size\r\n`);
  await client.ended();
  await until(async () => Object.keys(of(await scrape(gateway), "sluice_requests_total")).length > 0);
  assert.equal(of(await scrape(gateway), "sluice_requests_total"), {
    '{api="orders",verb="POST",route="/orders/in/{id}",status="400"}': 1,
  });
  await gateway.close();
});

test("requests are counted by route, not by path", async () => {
  const gateway = await start({ intake });
  for (const id of ["a", "b", "secret"]) {
    assert.is(
      (await fetch(`${gateway.url}/orders/in/${id}?key=secret`, { method: "POST", body: "x" })).status,
      200,
    );
  }
  assert.is((await fetch(`${gateway.url}/orders/in/a`, { method: "DELETE" })).status, 405);
  assert.is((await fetch(`${gateway.url}/orders/other/secret`)).status, 404);
  assert.is((await fetch(`${gateway.url}/elsewhere/secret`)).status, 404);
  assert.is((await fetch(`${gateway.url}/elsewhere2`, { method: "PROPFIND" })).status, 404);
  const expected = {
    '{api="orders",verb="POST",route="/orders/in/{id}",status="200"}': 3,
    '{api="orders",verb="DELETE",route="/orders/in/{id}",status="405"}': 1,
    '{api="orders",verb="GET",route="/orders/*",status="404"}': 1,
    '{api="unknown",verb="GET",route="unknown",status="404"}': 1,
    '{api="unknown",verb="other",route="unknown",status="404"}': 1,
  };
  await eventually(async () => of(await scrape(gateway), "sluice_requests_total"), expected);
  const samples = await scrape(gateway);
  assert.not.match([...samples.keys()].join("\n"), "secret");
  const route = '{api="orders",verb="POST",route="/orders/in/{id}"}';
  assert.is(samples.get(`sluice_request_duration_seconds_count${route}`), 3);
  assert.is(samples.get(`sluice_request_duration_seconds_bucket${route.replace('}"}', '}",le="+Inf"}')}`), 3);
  const bytes = {
    in: samples.get('sluice_received_bytes_total{api="orders"}') ?? 0,
    out: samples.get('sluice_sent_bytes_total{api="orders"}') ?? 0,
  };
  assert.ok(bytes.in > 500 && bytes.out > 300, JSON.stringify(bytes));
  await gateway.close();
});

test("rejected requests are counted by reason, or by status where no reason is given", async () => {
  let reason: string | undefined = "quota";
  const refuse = () => new GatewayError(403, "Quota exceeded", reason === undefined ? {} : { reason });
  const gateway = await start({ intake }, { steps: { authentication: refuse } });
  await fetch(`${gateway.url}/orders/in/a`, { method: "POST" });
  reason = undefined;
  await fetch(`${gateway.url}/orders/in/a`, { method: "POST" });
  const client = connect(Number(new URL(gateway.url).port), "127.0.0.1")
    .end("rubbish\r\n\r\n")
    .resume();
  await once(client, "close");
  await until(
    async () => Object.keys(of(await scrape(gateway), "sluice_requests_refused_total")).length === 3,
  );
  assert.equal(of(await scrape(gateway), "sluice_requests_refused_total"), {
    '{api="orders",reason="quota"}': 1,
    '{api="orders",reason="forbidden"}': 1,
    '{api="unknown",reason="bad_request"}': 1,
  });
  await gateway.close();
});

test("messages are counted where they end, and their batches are timed", async () => {
  let refusals = 1;
  const input = manualInput();
  const split: Processor = { process: (batch) => batch.map((message) => [message, message]) };
  const output = memoryOutput(() => {
    refusals -= 1;
    if (refusals === 0) throw new GatewayError(502, "Broker is away");
    return {};
  });
  const gateway = await start({ pass: () => ({ input, pipeline: [split], output }) });
  const context = await until(() => input.context);
  const message = Message.fromText("a");
  await createRedelivery(context).deliver([message], new AbortController().signal);
  await input.deliver("b");
  const samples = await scrape(gateway);
  const expected = {
    sluice_messages_received_total: 3,
    sluice_messages_delivered_total: 2,
    sluice_messages_failed_total: 1,
    sluice_messages_written_total: 4,
    sluice_messages_retried_total: 1,
    sluice_messages_dead_lettered_total: 0,
    sluice_messages_in_flight: 0,
    sluice_delivery_duration_seconds_count: 2,
  };
  for (const [name, value] of Object.entries(expected)) {
    assert.is(samples.get(`${name}{api="orders",stream="pass"}`), value, name);
  }
  assert.is(samples.get('sluice_delivery_failures_total{api="orders",stream="pass",status="502"}'), 1);
  assert.is(samples.get('sluice_streams{api="orders",stream="pass",status="running"}'), 1);
  assert.is(samples.get('sluice_streams{api="orders",stream="pass",status="failed"}'), 0);
  await gateway.close();
});

test("messages sent to the dead letter queue are counted there", async () => {
  const input = manualInput();
  const letters = memoryOutput();
  const output = memoryOutput(() => {
    throw new GatewayError(502, "Broker is away");
  });
  const errorHandling = {
    strategy: "dead_letter",
    max_attempts: 2,
    output: letters,
    letters: deadLetters,
  } as const;
  const gateway = await start({ pass: () => ({ input, output, errorHandling }) });
  const context = await until(() => input.context);
  await createRedelivery(context).deliver([Message.fromText("a")], new AbortController().signal);
  const samples = await scrape(gateway);
  assert.is(letters.texts.join(), "a");
  assert.is(samples.get('sluice_messages_dead_lettered_total{api="orders",stream="pass"}'), 1);
  assert.is(samples.get('sluice_messages_retried_total{api="orders",stream="pass"}'), 1);
  await gateway.close();
});

test("totals of a stream do not decrease when its instances end", async () => {
  const tenants = perRequest(["context.headers_X_Tenant"], () => intake());
  const api = { id: "orders", listenPath: "/orders/", streams: { intake: tenants } };
  const gateway = await startGateway([api], {
    analytics: () => observe(...measure(prometheus())),
    limits: { stream_instance_idle: 1 },
  });
  for (const tenant of ["a", "b", "a"]) {
    const headers = { "x-tenant": tenant };
    const answer = await fetch(`${gateway.url}/orders/in/1`, { method: "POST", body: "x", headers });
    assert.is(answer.status, 200);
    await until(() => gateway.streams.states().length === 0, { what: "the instance to have ended" });
  }
  const samples = await scrape(gateway);
  assert.is(samples.get('sluice_messages_delivered_total{api="orders",stream="intake"}'), 3);
  assert.not([...samples.keys()].join().includes("tenant"));
  await gateway.close();
});

test("connections are counted while they are open and when they have closed", async () => {
  const gateway = await start({
    out: () => ({
      input: manualInput(),
      output: httpServerOutput({ stream_path: "/events", ws_path: "/talk" }),
    }),
  });
  await until(() => gateway.streams.states()[0]?.status === "waiting");
  const events = await sse(`${gateway.url}/orders/events`);
  const talk = await socket(`${gateway.url.replace("http", "ws")}/orders/talk`);
  const open = async () => of(await scrape(gateway), "sluice_connections_open");
  await until(async () => Object.values(await open()).length === 2);
  const expected = { '{api="orders",transport="stream"}': 1, '{api="orders",transport="websocket"}': 1 };
  assert.equal(await open(), expected);
  assert.is((await scrape(gateway)).get('sluice_clients{api="orders",stream="out"}'), 2);
  assert.equal(of(await scrape(gateway), "sluice_requests_total"), {});
  await events.close();
  await talk.close();
  await until(async () => Object.values(await open()).every((value) => value === 0));
  assert.equal(of(await scrape(gateway), "sluice_requests_total"), {
    '{api="orders",verb="GET",route="/orders/events",status="200"}': 1,
    '{api="orders",verb="GET",route="/orders/talk",status="101"}': 1,
  });
  assert.equal(of(await scrape(gateway), "sluice_request_duration_seconds_count"), {});
  await gateway.close();
});

test("an upgrade without a valid handshake counts as rejected, not as a socket", async () => {
  const gateway = await start({
    talk: () => ({ input: httpServerInput({ ws_path: "/talk" }), output: memoryOutput() }),
  });
  const client = connect(Number(new URL(gateway.url).port), "127.0.0.1").resume();
  client.write("GET /orders/talk HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n");
  await once(client, "close");
  const name = 'sluice_requests_total{api="orders",verb="GET",route="/orders/talk",status="400"}';
  await until(async () => (await scrape(gateway)).get(name) === 1);
  await gateway.close();
});

test("an upgrade that the upstream rejects is counted with the upstream's status", async () => {
  const upstream = await httpServer(() => ({ status: 402 }));
  const gateway = await startGateway([ordersApi({}, upstream.url)], {
    analytics: () => observe(...measure(prometheus())),
  });
  const refused = socket(`${gateway.url.replace("http", "ws")}/orders/talk`);
  await refused.then(
    () => assert.unreachable(),
    () => undefined,
  );
  const name = 'sluice_requests_total{api="orders",verb="GET",route="/orders/*",status="402"}';
  await until(async () => (await scrape(gateway)).get(name) === 1);
  await gateway.close();
  await upstream.close();
});

test("a request to the upstream is counted with the upstream's status", async () => {
  const upstream = await httpServer(() => ({ status: 418 }));
  const api = ordersApi({}, upstream.url);
  const gateway = await startGateway([api], { analytics: () => observe(...measure(prometheus())) });
  assert.is((await fetch(`${gateway.url}/orders/a/b`)).status, 418);
  const count = async () =>
    (await scrape(gateway)).get(
      'sluice_requests_total{api="orders",verb="GET",route="/orders/*",status="418"}',
    );
  await until(async () => (await count()) === 1);
  await gateway.close();
  await upstream.close();
});

test("without analytics, only metrics declared in documents are exposed", async () => {
  const gateway = await startGateway([ordersApi({ intake })]);
  await fetch(`${gateway.url}/orders/in/a`, { method: "POST", body: "x" });
  assert.is(await (await fetch(`${gateway.admin}/metrics`)).text(), "");
  await gateway.close();
});

test.run();
