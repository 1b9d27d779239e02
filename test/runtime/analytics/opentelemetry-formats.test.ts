// The encoding of requests to a collector, checked by protobufjs with the definitions of opentelemetry-proto.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import protobuf from "protobufjs";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { OpenTelemetryOptions } from "../../../runtime/analytics/generated/opentelemetry-options.ts";
import { measure } from "../../../runtime/analytics/measure.ts";
import { observe } from "../../../runtime/analytics/observe.ts";
import { openTelemetry } from "../../../runtime/analytics/opentelemetry/exporter.ts";
import { protobufOf } from "../../../runtime/analytics/opentelemetry/sender.ts";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import type { EnvironmentVariables } from "../../../runtime/process/environment.ts";
import { metric } from "../../../runtime/processors/metric.ts";
import { until } from "../../harness/wait.ts";
import { memoryOutput } from "../gateway/components.ts";
import { ordersApi, startGateway } from "../gateway/start-gateway.ts";

const root = new protobuf.Root();
root.resolvePath = (_from, path) => join(import.meta.dirname, "opentelemetry-proto", path);
await root.load(
  ["trace", "metrics"].map((signal) => `opentelemetry/proto/collector/${signal}/v1/${signal}_service.proto`),
);
const collectorTypes = {
  "/v1/traces": root.lookupType("opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest"),
  "/v1/metrics": root.lookupType("opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest"),
};
type Signal = keyof typeof collectorTypes;

interface Received {
  readonly signal: Signal;
  readonly type: string | undefined;
  readonly body: Buffer;
}

/** Starts a collector that accepts every request, but answers the first requests with `replies`. */
async function startCollector(replies: (number | Buffer)[] = []) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    received.push({ signal: request.url as Signal, type: request.headers["content-type"], body });
    const reply = replies.shift() ?? 200;
    if (typeof reply === "number") response.writeHead(reply).end();
    else response.end(reply);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  const of = (signal: Signal) => received.filter((each) => each.signal === signal);
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, received, of, close };
}

async function start(options: OpenTelemetryOptions, environment: EnvironmentVariables = {}) {
  const intake = () => ({
    input: httpServerInput({ path: "/in/{id}" }),
    pipeline: [metric({ type: "timing", name: "size", value: "3" })],
    output: memoryOutput(),
  });
  const gateway = await startGateway([ordersApi({ intake })], {
    analytics: (env) => observe(...measure(openTelemetry(env, options))),
    environment,
  });
  const post = () => fetch(`${gateway.url}/orders/in/a`, { method: "POST", body: "a" });
  return { gateway, post };
}

/** Converts ids to bytes, as Protocol Buffers encode them. */
function withBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBytes);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      /^(traceId|spanId|parentSpanId)$/.test(key) ? Buffer.from(String(each), "hex") : withBytes(each),
    ]),
  );
}

function encoded(signal: Signal, body: object): Buffer {
  const type = collectorTypes[signal];
  return Buffer.from(type.encode(type.fromObject(withBytes(body) as object)).finish());
}

function decoded({ signal, body }: Received): Record<string, unknown> {
  const type = collectorTypes[signal];
  return type.toObject(type.decode(body), { longs: String, bytes: (bytes: Buffer) => bytes });
}

test("protobuf bodies equal the encoding of the JSON bodies by the OpenTelemetry definitions", async () => {
  const collector = await startCollector();
  const { gateway, post } = await start({ endpoint: collector.url });
  await post();
  await fetch(`${gateway.url}/orders/nowhere`);
  await gateway.close();
  for (const signal of ["/v1/traces", "/v1/metrics"] as const) {
    assert.ok(collector.of(signal).length > 0, signal);
    for (const { body } of collector.of(signal)) {
      const json = JSON.parse(body.toString());
      assert.is(protobufOf(json).toString("hex"), encoded(signal, json).toString("hex"));
    }
  }
  collector.close();
});

test("attribute values of all types are encoded as the definitions say", () => {
  const values = [
    { stringValue: "ä" },
    { stringValue: "" },
    { boolValue: true },
    { boolValue: false },
    { intValue: "0" },
    { intValue: "-3" },
    { intValue: "9007199254740991" },
    { doubleValue: -0.5 },
  ];
  const spans = [
    {
      traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
      spanId: "00f067aa0ba902b7",
      parentSpanId: "00f067aa0ba902b8",
      flags: 257,
      name: "n".repeat(300),
      kind: 5,
      startTimeUnixNano: "1790000000000000001",
      endTimeUnixNano: "1790000000000000002",
      attributes: values.map((value, index) => ({ key: `k${index}`, value })),
      links: [{ traceId: "4bf92f3577b34da6a3ce929d0e0e4737", spanId: "00f067aa0ba902b9" }],
      status: { code: 2, message: "why" },
    },
  ];
  const body = {
    resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: { name: "s" }, spans }] }],
  };
  assert.is(protobufOf(body).toString("hex"), encoded("/v1/traces", body).toString("hex"));
});

test("OTEL_EXPORTER_OTLP_PROTOCOL selects protobuf for one or both signals; partial rejections are logged", async () => {
  // partial_success { rejected_data_points: 2 }
  const collector = await startCollector([Buffer.from("0a020802", "hex")]);
  const { gateway, post } = await start(
    { endpoint: collector.url, interval: 20 },
    { OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf", OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json" },
  );
  await until(() => collector.of("/v1/metrics").length > 1);
  await post();
  await gateway.close();
  const [metrics, traces] = [collector.of("/v1/metrics").at(-1), collector.of("/v1/traces").at(-1)];
  assert.equal([metrics?.type, traces?.type], ["application/x-protobuf", "application/json"]);
  assert.match(JSON.stringify(metrics && decoded(metrics)), '"name":"sluice.requests"');
  const lines = gateway.lines.filter(({ msg }) => String(msg).startsWith("OpenTelemetry"));
  assert.equal(
    lines.map(({ msg }) => msg),
    ["OpenTelemetry collector rejected a part of an export"],
  );
  collector.close();
});

interface Sum {
  readonly aggregationTemporality: number;
  readonly dataPoints: readonly Point[];
}

interface Point {
  readonly asDouble?: number;
  readonly count?: string;
  readonly bucketCounts?: readonly string[];
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
}

/** Returns the series of requests and of their durations from each export that contains them. */
function exportsOf(received: readonly Received[]) {
  return received.flatMap(({ body }) => {
    const { metrics } = JSON.parse(body.toString()).resourceMetrics[0].scopeMetrics[0];
    const find = (name: string) => metrics.find((each: { name: string }) => each.name === name);
    const requests: Sum | undefined = find("sluice.requests")?.sum;
    const durations: Sum | undefined = find("http.server.request.duration")?.histogram;
    return requests && durations ? [{ requests, durations }] : [];
  });
}

const total = (sums: readonly Sum[], of: (point: Point) => number) =>
  sums.flatMap(({ dataPoints }) => dataPoints).reduce((sum, point) => sum + of(point), 0);

test("delta: exports add up to the total, also after the collector was unavailable", async () => {
  const collector = await startCollector([503, 200, 503]);
  const { gateway, post } = await start(
    { endpoint: collector.url, interval: 10, traces: false },
    { OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: "delta" },
  );
  for (let index = 1; index <= 5; index += 1) {
    await post();
    const before = collector.received.length;
    await until(() => collector.received.length > before + 1);
  }
  await gateway.close();
  // The collector did not accept the first and the third request.
  const taken = exportsOf(collector.received.filter((_, index) => index !== 0 && index !== 2));
  const requests = taken.map((each) => each.requests);
  const durations = taken.map((each) => each.durations);
  assert.is(
    total(requests, ({ asDouble = 0 }) => asDouble),
    5,
  );
  assert.is(
    total(durations, ({ count = "0" }) => Number(count)),
    5,
  );
  assert.is(
    total(durations, ({ bucketCounts = [] }) => bucketCounts.reduce((sum, each) => sum + Number(each), 0)),
    5,
  );
  assert.ok([...requests, ...durations].every(({ aggregationTemporality }) => aggregationTemporality === 1));
  const times = requests.map(({ dataPoints: [point] }) => point);
  for (const [index, point] of times.slice(1).entries())
    assert.is(point?.startTimeUnixNano, times[index]?.timeUnixNano, "no gap and no overlap");
  collector.close();
});

test("lowmemory: histograms have delta temporality, sums are cumulative", async () => {
  const collector = await startCollector();
  const { gateway, post } = await start({ endpoint: collector.url, traces: false, temporality: "lowmemory" });
  await post();
  await gateway.close();
  const last = exportsOf(collector.received).at(-1);
  assert.equal([last?.requests.aggregationTemporality, last?.durations.aggregationTemporality], [2, 1]);
  collector.close();
});

test.run();
