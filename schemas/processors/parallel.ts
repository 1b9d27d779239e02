import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./parallel.schema.json" with { type: "json" };

/** The processor `parallel`. */
export const parallelProcessor: ProcessorDescriptor = defineProcessor({
  name: "parallel",
  schema,
  runtime: { module: "runtime/processors/nested.ts", symbol: "parallel" },
  flow: { kind: "sequence", field: "processors" },
});
