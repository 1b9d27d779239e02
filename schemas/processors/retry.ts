import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./retry.schema.json" with { type: "json" };

/** The processor `retry`. */
export const retryProcessor: ProcessorDescriptor = defineProcessor({
  name: "retry",
  schema,
  runtime: { module: "runtime/processors/retry.ts", symbol: "retry" },
  flow: { kind: "retry", field: "processors" },
});
