import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./while.schema.json" with { type: "json" };

/** The processor `while`. */
export const whileProcessor: ProcessorDescriptor = defineProcessor({
  name: "while",
  schema,
  runtime: { module: "runtime/processors/while.ts", symbol: "whileHolds" },
  flow: { kind: "loop", field: "processors" },
});
