import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./log.schema.json" with { type: "json" };

/** The processor `log`. */
export const logProcessor: ProcessorDescriptor = defineProcessor({
  name: "log",
  schema,
  runtime: { module: "runtime/processors/log.ts", symbol: "logMessages" },
  flow: { kind: "message", effect: { content: "same" } },
  onlyLogsFailures: true,
});
