// `/metrics` of the admin listener, for Prometheus.

import { printMetrics } from "../process/metrics.ts";
import type { MetricExporter } from "./measure.ts";
import { prometheusName } from "./metric-table.ts";

/**
 * Prints all metrics under their Prometheus names, together with those of `metric` processors; omits metrics without
 * series.
 */
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
