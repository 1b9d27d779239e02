import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./metric.schema.json" with { type: "json" };

/** The processor `metric`. */
export const metricProcessor: ProcessorDescriptor = defineProcessor({
  name: "metric",
  schema,
  runtime: { module: "runtime/processors/metric.ts", symbol: "metric" },
  flow: { kind: "message", effect: { content: "same" } },
  onlyLogsFailures: true,
  definesMetric: true,
});
