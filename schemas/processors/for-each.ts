import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./for-each.schema.json" with { type: "json" };

/** The processor `for_each`. */
export const forEachProcessor: ProcessorDescriptor = defineProcessor({
  name: "for_each",
  schema,
  runtime: { module: "runtime/processors/nested.ts", symbol: "forEach" },
  flow: { kind: "sequence" },
});
