// `/metrics` of the admin listener, for Prometheus to read.

import { printMetrics } from "../process/metrics.ts";
import type { MetricExporter } from "./measure.ts";
import { prometheusName } from "./metric-table.ts";

/** Prints every number under its name in Prometheus, beside those of `metric` processors. Those without series are left out. */
export function prometheus(): MetricExporter {
  return {
    print(measured, common) {
      const families = measured
        .filter(({ series }) => series.length > 0)
        .map(({ definition, series }) => ({
          name: prometheusName(definition),
          kind: definition.kind,
          help: definition.help,
          series,
        }));
      return printMetrics(families, common);
    },
  };
}
