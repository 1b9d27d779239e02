import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "@nats-io/transport-node";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { kafka, nats } from "../harness/brokers.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { unique } from "../harness/names.ts";
import { eventually, until } from "../harness/wait.ts";
import { parseExposition } from "../runtime/analytics/exposition.ts";
import { buildAndStart } from "./gateway.ts";
import { freshTopics } from "./topics.ts";

const [kafkaServer, natsServer] = [await kafka(), await nats()];
const peer = await connect({ servers: natsServer.address });
const collector = await httpServer();
const [topic, subject] = [unique("orders"), unique("orders")];
const topics = await freshTopics(kafkaServer.address, [topic]);

const set = `streaming: { enabled: true }
apis: [orders.yaml]
analytics:
  prometheus: {}
  opentelemetry:
    endpoint: \${COLLECTOR}
    headers: { authorization: "\${COLLECTOR_TOKEN}" }
    service_name: orders
`;
const orders = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
x-gw-api-gateway:
  info: { name: Orders, id: orders, state: { active: true } }
  server: { listenPath: { value: /orders/ } }
  middleware: { global: { trafficLogs: { enabled: true } } }
x-gw-streaming:
  streams:
    intake:
      input: { http_server: { path: "/in/{id}" } }
      output: { kafka: { addresses: ["${kafkaServer.address}"], topic: ${topic} } }
    carry:
      input:
        kafka: { addresses: ["${kafkaServer.address}"], topics: [${topic}], consumer_group: ${topic} }
      output:
        nats: { urls: ["${natsServer.address}"], subject: ${subject}, metadata: { include_patterns: ["^trace"] } }
`;

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}

const spans = (): readonly SentSpan[] =>
  collector.requests
    .filter(({ path }) => path === "/v1/traces")
    .flatMap(({ body }) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans);

test("one trace leads from a request through Kafka to NATS, and every worker reports metrics", async () => {
  const folder = temporaryDirectory("analytics");
  writeFileSync(join(folder, "gateway.yaml"), set);
  writeFileSync(join(folder, "orders.yaml"), orders);
  const gateway = await buildAndStart([join(folder, "gateway.yaml")], {
    COLLECTOR: collector.url,
    COLLECTOR_TOKEN: "secret-token",
    OTEL_BSP_SCHEDULE_DELAY: "50",
    GW_WORKERS: "2",
  });
  const received = peer.subscribe(subject, { max: 1 });
  await peer.flush();
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const answer = await fetch(`${gateway.url}/orders/in/secret-id?token=secret`, {
    method: "POST",
    body: "{}",
    headers: { traceparent: `00-${trace}-00f067aa0ba902b7-01` },
  });
  assert.is(answer.status, 200);
  for await (const message of received) {
    const header = message.headers?.get("traceparent");
    await until(() => spans().length === 3, { what: "all spans" });
    const named = (name: string) => spans().find((span) => span.name === name);
    const [server, intake, carry] = ["POST /orders/in/{id}", "process intake", "process carry"].map(named);
    assert.equal(
      spans().map(({ traceId }) => traceId),
      [trace, trace, trace],
    );
    assert.equal(
      [server?.parentSpanId, intake?.parentSpanId, carry?.parentSpanId],
      ["00f067aa0ba902b7", server?.spanId, intake?.spanId],
    );
    assert.is(header, `00-${trace}-${carry?.spanId}-01`);
  }
  await eventually(async () => {
    const samples = parseExposition(await (await fetch(`${gateway.adminUrl}/metrics`)).text());
    const sumOf = (name: string) =>
      [...samples].reduce((sum, [key, value]) => (key.startsWith(`${name}{`) ? sum + value : sum), 0);
    const hasLag = samples.has('sluice_source_lag{api="orders",stream="carry",worker="0"}');
    const workers = new Set([...samples.keys()].flatMap((key) => /worker="(\d)"/.exec(key)?.[1] ?? []));
    const counts = [sumOf("sluice_requests_total"), sumOf("sluice_messages_delivered_total")];
    return [...counts, hasLag, [...workers].sort().join()];
  }, [1, 2, true, "0,1"]);
  assert.is(await gateway.program.stop(), 0, gateway.program.output());
  // Each worker sends its last counts before it exits.
  const instances = collector.requests
    .filter(({ path }) => path === "/v1/metrics")
    .map(({ body }) => JSON.stringify(JSON.parse(body).resourceMetrics[0].resource));
  assert.is(new Set(instances).size, 2);
  assert.ok(collector.requests.every(({ headers }) => headers.authorization === "secret-token"));
  const lines = gateway.program.output();
  assert.match(lines, '"route":"/orders/in/{id}"');
  assert.match(lines, `"trace":"${trace}"`);
  assert.not.match(lines + JSON.stringify(collector.requests.map(({ body }) => body)), "secret");
});

test("traces carried in documents are continued, linked and passed on by mappings", async () => {
  const [source, sink, between] = [unique("source"), unique("sink"), unique("between")];
  const more = await freshTopics(kafkaServer.address, [between]);
  const folder = temporaryDirectory("tracing-maps");
  writeFileSync(
    join(folder, "gateway.yaml"),
    'streaming: { enabled: true }\napis: [traces.yaml]\nanalytics: { opentelemetry: { endpoint: "${COLLECTOR}" } }\n',
  );
  writeFileSync(
    join(folder, "traces.yaml"),
    `openapi: 3.1.0
info: { title: Traces, version: 1.0.0 }
paths: {}
x-gw-api-gateway:
  info: { name: Traces, id: traces, state: { active: true } }
  server: { listenPath: { value: /traces/ } }
x-gw-streaming:
  streams:
    continued:
      input:
        nats:
          urls: ["${natsServer.address}"]
          subject: ${source}
          extract_tracing_map: root = this.span
      output:
        kafka:
          addresses: ["${kafkaServer.address}"]
          topic: ${between}
          metadata: { exclude_prefixes: [trace] }
          inject_tracing_map: root.sent = this
    linked:
      input:
        kafka:
          addresses: ["${kafkaServer.address}"]
          topics: [${between}]
          consumer_group: ${between}
          extract_tracing_map: root = this.sent
          new_root_span_with_link: true
      output:
        nats:
          urls: ["${natsServer.address}"]
          subject: ${sink}
          metadata: { include_patterns: ["^span$"] }
          inject_tracing_map: meta span = this.traceparent
`,
  );
  const gateway = await buildAndStart([join(folder, "gateway.yaml")], {
    COLLECTOR: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: "50",
  });
  const received = peer.subscribe(sink, { max: 1 });
  await peer.flush();
  const trace = "0af7651916cd43dd8448eb211c80319c";
  peer.publish(source, JSON.stringify({ span: { TraceParent: `00-${trace}-b7ad6b7169203331-01` } }));
  for await (const message of received) {
    const named = (name: string) => spans().find((span) => span.name === name);
    await until(() => named("process linked") !== undefined && named("process continued") !== undefined);
    const [continued, linked] = [named("process continued"), named("process linked")];
    assert.equal([continued?.traceId, continued?.parentSpanId], [trace, "b7ad6b7169203331"]);
    assert.equal(message.json<{ sent: unknown }>().sent, {
      traceparent: `00-${trace}-${continued?.spanId}-01`,
    });
    assert.is.not(linked?.traceId, trace);
    assert.equal(
      linked?.links?.map(({ traceId, spanId }) => [traceId, spanId]),
      [[trace, continued?.spanId]],
    );
    assert.is(message.headers?.get("span"), `00-${linked?.traceId}-${linked?.spanId}-01`);
  }
  assert.is(await gateway.program.stop(), 0, gateway.program.output());
  await more.close();
});

test.after(async () => {
  await Promise.all([peer.close(), topics.close(), collector.close()]);
  await Promise.all([kafkaServer.stop(), natsServer.stop()]);
});

test.run();
