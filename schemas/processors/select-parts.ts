import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./select-parts.schema.json" with { type: "json" };

/** The processor `select_parts`. */
export const selectPartsProcessor: ProcessorDescriptor = defineProcessor({
  name: "select_parts",
  schema,
  runtime: { module: "runtime/processors/batch-parts.ts", symbol: "selectParts" },
  flow: { kind: "message", effect: { content: "same" } },
  changesCount: true,
});
