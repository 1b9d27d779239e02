import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./processors.schema.json" with { type: "json" };

/** The processor `processors`. */
export const processorsProcessor: ProcessorDescriptor = defineProcessor({
  name: "processors",
  schema,
  runtime: { module: "runtime/processors/nested.ts", symbol: "inOrder" },
  flow: { kind: "sequence" },
});
