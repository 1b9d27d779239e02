import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./try.schema.json" with { type: "json" };

/** The processor `try`. */
export const tryProcessor: ProcessorDescriptor = defineProcessor({
  name: "try",
  schema,
  runtime: { module: "runtime/processors/try.ts", symbol: "tryInOrder" },
  flow: { kind: "try" },
});
