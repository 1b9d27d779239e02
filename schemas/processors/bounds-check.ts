import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./bounds-check.schema.json" with { type: "json" };

/** The processor `bounds_check`. */
export const boundsCheckProcessor: ProcessorDescriptor = defineProcessor({
  name: "bounds_check",
  schema,
  runtime: { module: "runtime/processors/batch-parts.ts", symbol: "boundsCheck" },
  flow: { kind: "message", effect: { content: "same" } },
  changesCount: true,
});
