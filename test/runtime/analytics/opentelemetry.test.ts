import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { OpenTelemetryOptions } from "../../../runtime/analytics/generated/opentelemetry-options.ts";
import { measure } from "../../../runtime/analytics/measure.ts";
import { observe } from "../../../runtime/analytics/observe.ts";
import { openTelemetry } from "../../../runtime/analytics/opentelemetry/exporter.ts";
import { beginSpan, parseTraceparent } from "../../../runtime/analytics/opentelemetry/trace-context.ts";
import { trace as traceWith } from "../../../runtime/analytics/opentelemetry/tracing.ts";
import { noClientIsThere } from "../../../runtime/component/clients.ts";
import type { Input, Processor } from "../../../runtime/component/component.ts";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { GatewayError, MappingError } from "../../../runtime/errors.ts";
import { tracingId, tracingSpan } from "../../../runtime/mapping/messages.ts";
import { MappingRun } from "../../../runtime/mapping/run.ts";
import { Message } from "../../../runtime/message/message.ts";
import {
  createEnvironment,
  EnvironmentError,
  type EnvironmentVariables,
} from "../../../runtime/process/environment.ts";
import { inputWithProcessors } from "../../../runtime/processors/around/with-processors.ts";
import { metric } from "../../../runtime/processors/metric.ts";
import { collectGarbage } from "../../harness/heap.ts";
import { type HttpServer, httpServer, type Reply } from "../../harness/http-server.ts";
import { withTrace } from "../../harness/traced.ts";
import { until } from "../../harness/wait.ts";
import { memoryOutput } from "../gateway/components.ts";
import { ordersApi, startGateway } from "../gateway/start-gateway.ts";

const test = suite("opentelemetry");

const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const remote = "00f067aa0ba902b7";

interface StartOptions {
  readonly options?: OpenTelemetryOptions;
  readonly environment?: EnvironmentVariables;
  readonly upstream?: string;
  readonly confirm?: (message: Message) => void;
  readonly input?: Input;
}

async function start({
  options = {},
  environment = {},
  upstream,
  confirm = () => undefined,
  input = httpServerInput({ path: "/in/{id}" }),
}: StartOptions) {
  const output = memoryOutput((batch) => {
    for (const message of batch) confirm(message);
    return {};
  });
  const intake = () => ({
    input,
    pipeline: [metric({ type: "timing", name: "size", value: "3" })],
    output,
  });
  const gateway = await startGateway([ordersApi({ intake }, upstream)], {
    analytics: (env) => observe(...measure(openTelemetry(env, options))),
    environment,
  });
  const post = (headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${gateway.url}/orders/in/secret?key=secret`, { method: "POST", body: "a", headers });
  return { gateway, output, post };
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** The fields of metrics and spans that the tests check. The messages contain every field that the protocol requires. */
interface Point {
  readonly attributes: readonly Attribute[];
  readonly asDouble?: number;
  readonly count?: string;
  readonly bucketCounts?: readonly string[];
  readonly explicitBounds?: readonly number[];
}

interface Metric {
  readonly name: string;
  readonly sum?: { readonly isMonotonic: boolean; readonly dataPoints: readonly Point[] };
  readonly histogram?: { readonly dataPoints: readonly Point[] };
  readonly summary?: { readonly dataPoints: readonly Point[] };
}

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status?: { readonly code: number; readonly message?: string };
}

const plain = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const bodiesOf = ({ requests }: HttpServer, path: string) =>
  requests.filter((request) => request.path === path).map(({ body }) => JSON.parse(body));

const spansOf = (collector: HttpServer): readonly SentSpan[] =>
  bodiesOf(collector, "/v1/traces").flatMap((body) => body.resourceSpans[0].scopeSpans[0].spans);

const lastMetrics = (collector: HttpServer): readonly Metric[] =>
  bodiesOf(collector, "/v1/metrics").at(-1).resourceMetrics[0].scopeMetrics[0].metrics;

test("a request and its message are spans of the caller's trace, which the message propagates", async () => {
  const collector = await httpServer();
  const { gateway, output, post } = await start({ options: { endpoint: collector.url } });
  await post({ traceparent: `00-${trace}-${remote}-01`, tracestate: "vendor=1" });
  await gateway.close();
  const [process, server] = spansOf(collector);
  assert.equal([server?.name, server?.kind, server?.parentSpanId], ["POST /orders/in/{id}", 2, remote]);
  assert.equal([process?.name, process?.kind, process?.parentSpanId], ["process intake", 5, server?.spanId]);
  assert.equal([server?.traceId, process?.traceId], [trace, trace]);
  assert.equal(plain(server?.attributes ?? []), {
    "http.request.method": "POST",
    "http.route": "/orders/in/{id}",
    "http.response.status_code": "200",
    "client.address": "127.0.0.1",
    "sluice.transport": "http",
    "sluice.api": "orders",
    "sluice.stream": "intake",
  });
  assert.ok(BigInt(server?.endTimeUnixNano ?? 0) > BigInt(server?.startTimeUnixNano ?? 0));
  assert.ok(Math.abs(Number(server?.endTimeUnixNano) / 1e6 - Date.now()) < 60_000);
  const metadata = output.batches[0]?.[0]?.metadata;
  assert.is(metadata?.get("traceparent"), `00-${trace}-${process?.spanId}-01`);
  assert.is(metadata?.get("tracestate"), "vendor=1");
  assert.is(metadata?.has("Traceparent"), false);
  assert.not.match(JSON.stringify(collector.requests), "secret");
  await collector.close();
});

test("without a caller's trace a new one starts; an unsampled trace is propagated as unsampled", async () => {
  const collector = await httpServer();
  const { gateway, output, post } = await start({ options: { endpoint: collector.url } });
  await post();
  await post({ traceparent: `00-${trace}-${remote}-00` });
  const nothing = "00-00000000000000000000000000000000-00f067aa0ba902b7-01";
  await post({ traceparent: nothing, tracestate: "vendor=1" });
  await gateway.close();
  assert.is(output.batches[2]?.[0]?.metadata.get("tracestate"), undefined, "it speaks of no trace");
  const contexts = output.batches.map(([message]) =>
    parseTraceparent(String(message?.metadata.get("traceparent"))),
  );
  assert.equal(
    contexts.map((context) => [context?.traceId === trace, context?.isSampled]),
    [
      [false, true],
      [true, false],
      [false, true],
    ],
  );
  assert.is(spansOf(collector).length, 4);
  await collector.close();
});

test("several `tracestate` headers are one list", async () => {
  const collector = await httpServer();
  const { gateway, output } = await start({ options: { endpoint: collector.url } });
  const headers = { traceparent: `00-${trace}-${remote}-01`, tracestate: ["one=1", "two=2"] };
  const [answer] = await once(
    request(`${gateway.url}/orders/in/a`, { method: "POST", headers }).end(),
    "response",
  );
  answer.resume();
  await gateway.close();
  assert.match(String(output.batches[0]?.[0]?.metadata.get("tracestate")), /^one=1, ?two=2$/);
  await collector.close();
});

test("mappings read the span of the message, and null where none is recorded", async () => {
  const collector = await httpServer();
  const reported = async (options: OpenTelemetryOptions, headers: Readonly<Record<string, string>>) => {
    const { gateway, output, post } = await start({ options: { endpoint: collector.url, ...options } });
    await post({ ...headers, traceparent: `00-${trace}-${remote}-01` });
    await gateway.close();
    const run = new MappingRun(output.batches[0] ?? [], 0);
    return [tracingSpan(run), tracingId(run), run.message()?.metadata.get("traceparent")];
  };
  const [span, id, metadata] = await reported({}, { tracestate: "vendor=1" });
  assert.equal([span, id], [{ traceparent: metadata, tracestate: "vendor=1" }, trace]);
  const [plain, , own] = await reported({}, {});
  assert.equal(plain, { traceparent: own });
  // The caller sends a trace id, but nothing records the trace.
  assert.equal((await reported({ traces: false }, {})).slice(0, 2), [null, "0".repeat(32)]);
  await collector.close();
});

test("a query parameter does not set the trace context", async () => {
  const collector = await httpServer();
  const { gateway, output } = await start({ options: { endpoint: collector.url } });
  const query = new URLSearchParams({ traceparent: `00-${trace}-${remote}-01`, tracestate: "posed=1" });
  await fetch(`${gateway.url}/orders/in/a?${query}`, { method: "POST", body: "{}" });
  await gateway.close();
  const { metadata } = output.batches[0]?.[0] ?? {};
  assert.match(String(metadata?.get("traceparent")), /^00-/);
  assert.not.match(String(metadata?.get("traceparent")), trace);
  assert.is(metadata?.get("tracestate"), undefined);
  await collector.close();
});

test("metadata that a processor of the input sets determine the trace of a request's message", async () => {
  const collector = await httpServer();
  const set: Processor = {
    process: (batch) => [
      batch.map((message) => message.withEntries([["traceparent", `00-${trace}-${remote}-01`]])),
    ],
  };
  const input = inputWithProcessors(httpServerInput({ path: "/in/{id}" }), [set]);
  const { gateway, post } = await start({ options: { endpoint: collector.url }, input });
  await post();
  await gateway.close();
  const [process, server] = spansOf(collector);
  assert.equal([process?.traceId, process?.parentSpanId], [trace, remote]);
  assert.is.not(server?.traceId, trace);
  await collector.close();
});

test("the ids of spans and traces are valid and do not repeat", () => {
  const spans = Array.from({ length: 3000 }, () => beginSpan(undefined, { ratio: 1, followsParent: true }));
  for (const { traceparent } of spans) assert.ok(parseTraceparent(traceparent), traceparent);
  assert.is(new Set(spans.flatMap(({ traceId, spanId }) => [traceId, spanId])).size, 6000);
});

test("changes to a message keep its trace context", () => {
  const fields = { traceparent: `00-${trace}-${remote}-01` };
  const message = withTrace(Message.fromText("{}"), fields);
  const changed = message.withDocument({ a: 1 }).withMetadata(new Map()).withPlace(2).withFailure(undefined);
  assert.equal(tracingSpan(new MappingRun([changed], 0)), fields);
});

test("what a message became does not keep the message in memory, even if nothing reads its trace", async () => {
  const observer = traceWith({ ratio: 0, followsParent: true }, () => undefined).stream?.("orders", "intake");
  const receive = () => {
    const received = Message.fromText("[1, 2]", new Map([["traceparent", `00-${trace}-${remote}-00`]]));
    const { batch } = observer?.began([received]) ?? {};
    return { ref: new WeakRef(received), made: batch?.[0]?.withDocument([1]) };
  };
  const { ref, made } = receive();
  await setImmediate();
  collectGarbage();
  assert.is(ref.deref(), undefined);
  assert.match(String(made?.metadata.get("traceparent")), trace);
});

test("failed spans do not contain the content of messages", async () => {
  const collector = await httpServer();
  const failures = [
    new MappingError("cannot read secret"),
    new GatewayError(502, "Broker is away"),
    noClientIsThere(),
  ];
  const { gateway, post } = await start({
    options: { endpoint: collector.url },
    confirm: () => {
      throw failures.shift();
    },
  });
  await post();
  await post();
  await post();
  await gateway.close();
  const statuses = spansOf(collector).map(({ name, status }) => [name.split(" ")[0], status]);
  assert.equal(statuses, [
    ["process", { code: 2, message: "a processor failed on a message" }],
    ["POST", undefined],
    ["process", { code: 2, message: "Broker is away" }],
    ["POST", { code: 2 }],
    ["process", undefined],
    ["POST", { code: 2 }],
  ]);
  const [returned] = spansOf(collector).slice(4);
  assert.is(plain(returned?.attributes ?? [])["sluice.outcome"], "returned");
  await collector.close();
});

test("the upstream receives the gateway's span as parent", async () => {
  const [collector, upstream] = [await httpServer(), await httpServer()];
  const { gateway } = await start({ options: { endpoint: collector.url }, upstream: upstream.url });
  await fetch(`${gateway.url}/orders/other`, { headers: { traceparent: `00-${trace}-${remote}-01` } });
  await gateway.close();
  const [span] = spansOf(collector);
  assert.is(upstream.requests[0]?.headers.traceparent, `00-${trace}-${span?.spanId}-01`);
  await Promise.all([collector.close(), upstream.close()]);
});

test("metrics are cumulative and have the names and attributes of OpenTelemetry", async () => {
  const collector = await httpServer();
  const { gateway, post } = await start({
    options: { endpoint: `${collector.url}/`, interval: 20, traces: false, service_name: "orders" },
    environment: {
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=pre%20production,service.name=other",
    },
  });
  await post();
  const requestsSent = () =>
    bodiesOf(collector, "/v1/metrics").length > 0
      ? lastMetrics(collector).find(({ name }) => name === "sluice.requests")?.sum?.dataPoints[0]?.asDouble
      : undefined;
  await until(() => requestsSent() === 1);
  await post();
  await until(() => requestsSent() === 2);
  await gateway.close();
  const find = (name: string) => lastMetrics(collector).find((each) => each.name === name);
  assert.equal(plain(find("sluice.requests")?.sum?.dataPoints[0]?.attributes ?? []), {
    "sluice.api": "orders",
    "http.request.method": "POST",
    "http.route": "/orders/in/{id}",
    "http.response.status_code": "200",
  });
  assert.is(find("sluice.requests")?.sum?.isMonotonic, true);
  const [duration] = find("http.server.request.duration")?.histogram?.dataPoints ?? [];
  const counts = (duration?.bucketCounts ?? []).map(Number);
  assert.is(counts.length, (duration?.explicitBounds?.length ?? 0) + 1);
  assert.equal([counts.reduce((sum, count) => sum + count, 0), duration?.count], [2, "2"]);
  assert.is(find("size")?.summary?.dataPoints[0]?.count, "2");
  const resource = plain(bodiesOf(collector, "/v1/metrics").at(-1).resourceMetrics[0].resource.attributes);
  assert.equal(
    [resource["service.name"], resource["deployment.environment.name"]],
    ["orders", "pre production"],
  );
  assert.equal(bodiesOf(collector, "/v1/traces"), []);
  await collector.close();
});

test("the standard variables set the endpoint, headers, service name and sampler", async () => {
  const collector = await httpServer();
  const { gateway, output, post } = await start({
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.replace("//", "//user:secret@"),
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own`,
      OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=a%2Cb",
      OTEL_TRACES_SAMPLER: "parentbased_always_off",
      OTEL_SERVICE_NAME: "named",
    },
  });
  await post();
  await post({ traceparent: `00-${trace}-${remote}-01` });
  await gateway.close();
  const paths = new Map(collector.requests.map((request) => [request.path, request]));
  assert.equal([...paths.keys()].sort(), ["/own", "/v1/metrics"]);
  assert.is(paths.get("/own")?.headers["x-tenant"], "a,b");
  const basic = Buffer.from("user:secret").toString("base64");
  assert.is(paths.get("/v1/metrics")?.headers.authorization, `Basic ${basic}`);
  assert.is(JSON.parse(paths.get("/own")?.body ?? "").resourceSpans[0].scopeSpans[0].spans.length, 2);
  assert.match(String(output.batches[0]?.[0]?.metadata.get("traceparent")), /-00$/);
  await collector.close();
});

test("the configuration overrides variables for the sampling ratio and resource attributes", async () => {
  const collector = await httpServer();
  const options = {
    endpoint: collector.url,
    metrics: false,
    sample_ratio: 0,
    resource_attributes: { "deployment.environment.name": "written" },
  };
  const { gateway, output, post } = await start({
    options,
    environment: {
      OTEL_TRACES_SAMPLER: "always_on",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=variable,service.namespace=kept",
    },
  });
  await post();
  await post({ traceparent: `00-${trace}-${remote}-01` });
  await gateway.close();
  assert.match(String(output.batches[0]?.[0]?.metadata.get("traceparent")), /-00$/);
  const spans = spansOf(collector);
  assert.equal(new Set(spans.map(({ traceId }) => traceId)), new Set([trace]), "others decide over theirs");
  const [{ resourceSpans }] = bodiesOf(collector, "/v1/traces");
  const resource = plain(resourceSpans[0].resource.attributes);
  assert.equal([resource["deployment.environment.name"], resource["service.namespace"]], ["written", "kept"]);
  await collector.close();
});

test("invalid variables are reported before anything starts", async () => {
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "collector",
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    OTEL_METRIC_EXPORT_INTERVAL: "0",
  };
  const failure = await start({ environment }).catch((error: unknown) => error);
  assert.instance(failure, EnvironmentError);
  const { problems } = failure as EnvironmentError; // checked above
  assert.equal(problems.map((problem) => problem.split(" ")[0]).sort(), Object.keys(environment).sort());
});

test("OTEL_SDK_DISABLED and the exporter `none` send nothing", async () => {
  const collector = await httpServer();
  const environments = [
    { OTEL_SDK_DISABLED: "true" },
    { OTEL_METRICS_EXPORTER: "none", OTEL_TRACES_EXPORTER: "none" },
  ];
  for (const environment of environments) {
    const { gateway, output, post } = await start({
      environment: { ...environment, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    });
    await post();
    await gateway.close();
    assert.is(output.batches[0]?.[0]?.metadata.has("traceparent"), false);
  }
  assert.equal(collector.requests, []);
  await collector.close();
});

test("nothing is counted if only spans are exported, or nothing", () => {
  const environment = createEnvironment({}, () => "");
  const attemptsOf = (options: OpenTelemetryOptions) =>
    measure(openTelemetry(environment, options)).filter(({ attempt }) => attempt !== undefined).length;
  assert.is(attemptsOf({}), 2);
  assert.is(attemptsOf({ metrics: false }), 1);
  assert.is(attemptsOf({ traces: false }), 1);
  assert.is(attemptsOf({ metrics: false, traces: false }), 0);
});

test("spans wait for an unavailable collector and are dropped if it rejects them; each is logged once", async () => {
  const replies: Reply[] = [{ status: 503 }, { status: 503 }, {}, { status: 400 }, {}];
  const collector = await httpServer(() => replies.shift() ?? {});
  const { gateway, post } = await start({
    options: { endpoint: collector.url, metrics: false },
    environment: { OTEL_BSP_SCHEDULE_DELAY: "10" },
  });
  const sent = () =>
    bodiesOf(collector, "/v1/traces").map((body) => body.resourceSpans[0].scopeSpans[0].spans.length);
  await post();
  await until(() => sent().length >= 3);
  const reported = () =>
    gateway.lines
      .filter(({ msg }) => String(msg).startsWith("OpenTelemetry collector"))
      .map(({ msg }) => msg);
  await until(() => reported().length === 2);
  assert.is(sent()[2], 2);
  await post();
  await until(() => reported().length === 3);
  await gateway.close();
  assert.equal(reported().slice(0, 3), [
    "OpenTelemetry collector rejects exports",
    "OpenTelemetry collector accepts exports again",
    "OpenTelemetry collector rejects exports",
  ]);
  await collector.close();
});

test("a collector that cannot be reached, or does not answer in time, is logged as such", async () => {
  const [silent, closed] = [createServer().listen(0, "127.0.0.1"), createServer().listen(0, "127.0.0.1")];
  await Promise.all([once(silent, "listening"), once(closed, "listening")]);
  const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens
  const cases = [
    [urlOf(silent), "OpenTelemetry collector does not answer in time"],
    [urlOf(closed), "OpenTelemetry collector cannot be reached"],
  ] as const;
  await once(closed.close(), "close");
  for (const [endpoint, text] of cases) {
    const { gateway, post } = await start({
      options: { endpoint, metrics: false, timeout: 200 },
      environment: { OTEL_BSP_SCHEDULE_DELAY: "10" },
    });
    await post();
    const reported = () => gateway.lines.find(({ msg }) => String(msg).startsWith("OpenTelemetry collector"));
    assert.is((await until(reported)).msg, text);
    await gateway.close();
  }
  silent.closeAllConnections();
  silent.close();
});

test("export requests can be compressed with gzip", async () => {
  const bodies: unknown[] = [];
  const collector = createServer(async (request, response) => {
    assert.is(request.headers["content-encoding"], "gzip");
    bodies.push(JSON.parse(gunzipSync(await buffer(request)).toString()));
    response.end();
  }).listen(0, "127.0.0.1");
  await once(collector, "listening");
  const { port } = collector.address() as AddressInfo; // a TCP server that listens has this kind of address
  const options = { endpoint: `http://127.0.0.1:${port}`, compression: "gzip", metrics: false } as const;
  const { gateway, post } = await start({ options });
  await post();
  await gateway.close();
  assert.is(bodies.length, 1);
  collector.closeAllConnections();
  collector.close();
});

test.run();
