import { suite } from "uvu";
import * as assert from "uvu/assert";
import { measure } from "../../../runtime/analytics/measure.ts";
import { observe } from "../../../runtime/analytics/observe.ts";
import { openTelemetry } from "../../../runtime/analytics/opentelemetry/exporter.ts";
import type { Delivered } from "../../../runtime/component/component.ts";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { type HttpServer, httpServer, type Reply } from "../../harness/http-server.ts";
import { until } from "../../harness/wait.ts";
import { memoryOutput } from "../gateway/components.ts";
import { ordersApi, startGateway } from "../gateway/start-gateway.ts";

const test = suite("opentelemetry at shutdown");

async function start(endpoint: string, timeout: string, confirm?: () => Promise<Delivered>) {
  const output = memoryOutput(confirm);
  const intake = () => ({ input: httpServerInput({ path: "/in" }), output });
  const gateway = await startGateway([ordersApi({ intake })], {
    analytics: (env) => observe(...measure(openTelemetry(env, { endpoint }))),
    environment: { GW_SHUTDOWN_TIMEOUT: timeout },
  });
  const post = () => fetch(`${gateway.url}/orders/in`, { method: "POST", body: "a" });
  return { gateway, output, post };
}

interface Named {
  readonly name: string;
}

interface Metric extends Named {
  readonly sum?: { readonly dataPoints: readonly { readonly asDouble?: number }[] };
}

const bodiesOf = ({ requests }: HttpServer, path: string) =>
  requests.filter((request) => request.path === path).map(({ body }) => JSON.parse(body));

test("a collector that never responds does not delay shutdown, and is not said to reject exports", async () => {
  const never = Promise.withResolvers<Reply>();
  const collector = await httpServer(() => never.promise);
  const { gateway, post } = await start(collector.url, "200ms");
  await post();
  await gateway.close();
  const lines = gateway.lines.filter(({ component }) => component === "opentelemetry");
  assert.equal(
    new Set(lines.map(({ msg }) => msg)),
    new Set(["shutdown deadline exceeded before the last OpenTelemetry exports"]),
  );
  never.resolve({});
  await collector.close();
});

test("the last exports follow a shutdown whose time an output used up", async () => {
  const collector = await httpServer();
  const never = Promise.withResolvers<Delivered>();
  const { gateway, output, post } = await start(collector.url, "100ms", () => never.promise);
  const posted = post().catch(() => undefined); // cut, or answered with an error
  await until(() => output.batches.length === 1);
  await gateway.close();
  await posted;
  const spans: readonly Named[] = bodiesOf(collector, "/v1/traces").flatMap(
    (body) => body.resourceSpans[0].scopeSpans[0].spans,
  );
  assert.equal(
    spans.map(({ name }) => name),
    ["POST /orders/in"],
  );
  const metrics: readonly Metric[] = bodiesOf(collector, "/v1/metrics").at(-1).resourceMetrics[0]
    .scopeMetrics[0].metrics;
  const requests = metrics.find(({ name }) => name === "sluice.requests");
  assert.equal(
    requests?.sum?.dataPoints.map(({ asDouble }) => asDouble),
    [1],
  );
  never.resolve({});
  await collector.close();
});

test.run();
