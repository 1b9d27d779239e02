// `metric`: records numbers about messages, for `/metrics`.

import type { ComponentContext, Processor } from "../component/component.ts";
import { scopedMetrics } from "../component/gateway-scope.ts";
import { textOf } from "../component/text.ts";
import { MappingError } from "../errors.ts";
import type { Batch } from "../message/message.ts";
import type { Labels, MetricKind } from "../process/metrics.ts";
import { logFailure } from "./functions.ts";
import { type MetricOptions, metricDefaults } from "./generated/metric-options.ts";

const kinds = {
  counter: "counter",
  counter_by: "counter",
  gauge: "gauge",
  timing: "summary",
} as const satisfies Record<MetricOptions["type"], MetricKind>;

/**
 * Messages pass unchanged, even if their number cannot be computed, which is logged. It is also logged, once, if the
 * name belongs to a metric of another kind, or if there are too many sets of labels.
 */
export function metric(options: MetricOptions): Processor {
  let warned = false;

  function warnOnce({ log }: ComponentContext, reason: string): void {
    if (!warned) log.warn("metric not recorded", { metric: options.name, reason });
    warned = true;
  }

  return {
    process(batch, context) {
      // Outside a gateway, such as in a test, nothing reads the metric.
      if (context.gateway === undefined) return [batch];
      const { gateway, organisation } = context;
      const recorded = gateway.get(scopedMetrics).find(options.name, kinds[options.type], { organisation });
      if (recorded === undefined) {
        warnOnce(context, "another processor uses the name for a metric of another type");
        return [batch];
      }
      for (const index of batch.keys()) {
        try {
          const fits = recorded.record(labelsOf(options, batch, index), numberOf(options, batch, index));
          if (!fits) warnOnce(context, "it has too many different sets of labels");
        } catch (error) {
          logFailure(context, "a metric", error);
        }
      }
      return [batch];
    },
  };
}

function labelsOf({ labels = {} }: MetricOptions, batch: Batch, index: number): Labels {
  return Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => [name, textOf(text, batch, index)] as const);
}

function numberOf(
  { type, value = metricDefaults.value }: MetricOptions,
  batch: Batch,
  index: number,
): number {
  if (type === "counter") return 1;
  const text = textOf(value, batch, index);
  if (!/^\+?(\d+(?:\.\d*)?|\.\d+)([eE][-+]?\d+)?$/.test(text)) {
    throw new MappingError(
      `the value of a metric has to be a number of 0 or more, not ${JSON.stringify(text)}`,
    );
  }
  return Number(text);
}
