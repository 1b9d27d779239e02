import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./insert-part.schema.json" with { type: "json" };

/** The processor `insert_part`. */
export const insertPartProcessor: ProcessorDescriptor = defineProcessor({
  name: "insert_part",
  schema,
  runtime: { module: "runtime/processors/batch-parts.ts", symbol: "insertPart" },
  flow: { kind: "message", effect: { content: "same", inserts: true } },
  changesCount: true,
});
