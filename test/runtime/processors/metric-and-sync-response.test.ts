import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Processor } from "../../../runtime/component/component.ts";
import { GatewayScope, scopedMetrics } from "../../../runtime/component/gateway-scope.ts";
import { plainHttpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { syncResponseOutput } from "../../../runtime/connectors/sync-response/output.ts";
import { MappingError } from "../../../runtime/errors.ts";
import { Message } from "../../../runtime/message/message.ts";
import { printMetrics } from "../../../runtime/process/metrics.ts";
import { metric } from "../../../runtime/processors/metric.ts";
import { retry } from "../../../runtime/processors/retry.ts";
import { syncResponse } from "../../../runtime/processors/sync-response.ts";
import { componentContext, type LogLine, recordingLogger } from "../connectors/contexts.ts";
import { ordersApi, startGateway } from "../gateway/start-gateway.ts";

const test = suite("metric and sync_response");

const fail = () => {
  throw new MappingError("a text that quotes the message: secret");
};
const append = (suffix: string): Processor => ({
  process: (batch) => [
    batch.map((each) => each.withBytes(Buffer.concat([each.bytes(), Buffer.from(suffix)]))),
  ],
});
const drop: Processor = { process: () => [] };

/** Returns the response of a stream with these processors, and the metrics of the admin listener afterwards. */
async function answer(pipeline: readonly Processor[]) {
  const gateway = await startGateway([
    ordersApi({
      intake: () => ({
        input: plainHttpServerInput({ path: "/in" }),
        pipeline,
        output: syncResponseOutput({}),
      }),
    }),
  ]);
  try {
    const response = await fetch(`${gateway.url}/orders/in`, { method: "POST", body: "a" });
    const numbers = await fetch(`${gateway.admin}/metrics`);
    return {
      status: response.status,
      body: await response.text(),
      type: numbers.headers.get("content-type"),
      metrics: await numbers.text(),
    };
  } finally {
    await gateway.close();
  }
}

test("a client receives the messages as they were at sync_response, even if they are dropped afterwards", async () => {
  const { status, body } = await answer([append("b"), syncResponse({}), append("c"), drop]);
  assert.equal([status, body], [200, "ab"]);
});

test("responses keep the order in which they were made, those of the output last", async () => {
  const { body } = await answer([syncResponse({}), append("b"), syncResponse({}), append("c")]);
  assert.equal(body.match(/^a(b(c)?)?$/gm), ["a", "ab", "abc"]);
});

test("an undelivered message has no response, nor has a failed attempt", async () => {
  const flag: Processor = {
    process: (batch) => [batch.map((message) => message.withFailure(new MappingError("broken")))],
  };
  const refused = await answer([syncResponse({}), flag]);
  assert.is(refused.status, 422);
  assert.not.match(refused.body, "a\n");
  let attempts = 0;
  const flaky: Processor = {
    process: (batch) => [
      batch.map((each) => (++attempts < 2 ? each.withFailure(new MappingError("no")) : each)),
    ],
  };
  const backoff = { initial_interval: 1, max_interval: 1 };
  const retried = await answer([retry({ backoff, processors: [syncResponse({}), flaky] }), drop]);
  assert.is(retried.body, "a");
});

test("the admin listener prints metrics in the Prometheus format", async () => {
  const { type, metrics } = await answer([
    metric({ type: "counter", name: "orders_total" }),
    metric({ type: "counter_by", name: "amount", labels: { b: "x", "a.b": () => 'y"\\\n' }, value: "2.5" }),
    metric({ type: "gauge", name: "depth", value: () => "7" }),
    metric({ type: "timing", name: "taken", value: "1000" }),
  ]);
  assert.is(type, "text/plain; version=0.0.4; charset=utf-8");
  const expected = [
    "# TYPE amount counter",
    "# HELP amount Recorded by processors of streams",
    'amount{a_b="y\\"\\\\\\n",b="x"} 2.5',
    "# TYPE depth gauge",
    "# HELP depth Recorded by processors of streams",
    "depth 7",
    "# TYPE orders_total counter",
    "# HELP orders_total Recorded by processors of streams",
    "orders_total 1",
    "# TYPE taken summary",
    "# HELP taken Recorded by processors of streams",
    "taken_sum 1000",
    "taken_count 1",
    "",
  ];
  assert.is(metrics, expected.join("\n"));
});

/** Returns the metrics after some batches, and the log lines. */
async function record(processors: readonly Processor[], contents: readonly string[]) {
  const lines: LogLine[] = [];
  const gateway = new GatewayScope();
  const context = { ...componentContext(), log: recordingLogger(lines), gateway };
  const batch = contents.map((content) => Message.fromText(content));
  for (const each of processors) assert.equal(await each.process(batch, context), [batch]);
  return { lines, printed: printMetrics(gateway.get(scopedMetrics).families()) };
}

test("counters add up, gauges keep the last value, timings count", async () => {
  const content = (batch: readonly Message[], index: number) =>
    Buffer.from(batch[index]?.bytes() ?? []).toString();
  const all = [
    metric({ type: "counter_by", name: "c", value: content }),
    metric({ type: "gauge", name: "g", value: content }),
    metric({ type: "timing", name: "t", value: content }),
  ];
  const { printed } = await record(all, ["1", "2.5", "1e1"]);
  for (const line of ["c 13.5", "g 10", "t_sum 13.5", "t_count 3"]) assert.match(printed, `${line}\n`);
});

test("invalid and negative values are logged and not counted, without quoting them above debug level", async () => {
  for (const value of ["", "-1", "x", "NaN", "0x10", "1 "]) {
    const { lines, printed } = await record([metric({ type: "counter_by", name: "c", value })], ["a"]);
    assert.equal(
      lines.map(({ level }) => level),
      ["warn", "debug"],
      value,
    );
    assert.is(printed, "# TYPE c counter\n# HELP c Recorded by processors of streams\n");
  }
  const { lines } = await record([metric({ type: "counter", name: "c", labels: { l: fail } })], ["a"]);
  assert.not.match(JSON.stringify(lines.filter(({ level }) => level !== "debug")), "secret");
});

test("label sets are limited, and exceeding the limit is logged once", async () => {
  let number = 0;
  const labels = { l: () => String(number++) };
  const { lines, printed } = await record(
    [metric({ type: "counter", name: "c", labels })],
    Array.from({ length: 1005 }, () => "a"),
  );
  assert.is(printed.split("\n").length, 1003);
  assert.equal(
    lines.map(({ fields }) => fields.reason),
    ["it has too many different sets of labels"],
  );
});

test("a name belongs to the metric type that used it first", async () => {
  const { lines, printed } = await record(
    [metric({ type: "counter", name: "c" }), metric({ type: "gauge", name: "c", value: "9" })],
    ["a", "b"],
  );
  assert.is(printed, "# TYPE c counter\n# HELP c Recorded by processors of streams\nc 2\n");
  assert.is(lines.length, 1);
});

test("gateways of one process have separate metrics", () => {
  const [one, other] = [new GatewayScope(), new GatewayScope()];
  one.get(scopedMetrics).find("c", "counter")?.record([], 1);
  assert.is(printMetrics(other.get(scopedMetrics).families()), "");
});

test.run();
