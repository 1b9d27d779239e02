// Metrics of one organisation do not mix with those of another or with the gateway's own.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayScope, scopedMetrics } from "../../../runtime/component/gateway-scope.ts";
import { printMetrics } from "../../../runtime/process/metrics.ts";

test("the same name in two organisations is two metrics", () => {
  const gateway = new GatewayScope();
  gateway.get(scopedMetrics).find("orders", "counter", { organisation: "red" })?.record([], 2);
  gateway
    .get(scopedMetrics)
    .find("orders", "counter", { organisation: "blue" })
    ?.record([["organisation", "red"]], 3);
  gateway.get(scopedMetrics).find("orders", "counter")?.record([], 4);
  assert.is(
    printMetrics(gateway.get(scopedMetrics).families()),
    [
      "# TYPE orders counter",
      "# HELP orders Recorded by processors of streams",
      'orders{organisation="red"} 2',
      'orders{organisation="blue"} 3',
      "orders 4\n",
    ].join("\n"),
  );
});

test("a metric type chosen by one organisation does not bind others", () => {
  const gateway = new GatewayScope();
  gateway.get(scopedMetrics).find("orders", "counter", { organisation: "red" })?.record([], 1);
  assert.is(gateway.get(scopedMetrics).find("orders", "gauge", { organisation: "red" }), undefined);
  gateway.get(scopedMetrics).find("orders", "gauge", { organisation: "blue" })?.record([], 5);
  assert.is(
    printMetrics(gateway.get(scopedMetrics).families()),
    [
      "# TYPE orders counter",
      "# HELP orders Recorded by processors of streams",
      'orders{organisation="red"} 1',
      "# TYPE orders_gauge gauge",
      "# HELP orders_gauge Recorded by processors of streams",
      'orders_gauge{organisation="blue"} 5\n',
    ].join("\n"),
  );
});

test("label sets of one organisation do not use up those of another", () => {
  const gateway = new GatewayScope();
  const [red, blue] = ["red", "blue"].map((each) =>
    gateway.get(scopedMetrics).find("orders", "counter", { organisation: each }),
  );
  for (let index = 0; index < 2000; index += 1) red?.record([["id", `${index}`]], 1);
  assert.is(red?.record([["id", "more"]], 1), false);
  assert.is(blue?.record([["id", "first"]], 1), true);
});

test.run();
