import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./split.schema.json" with { type: "json" };

/** The processor `split`. */
export const splitProcessor: ProcessorDescriptor = defineProcessor({
  name: "split",
  schema,
  runtime: { module: "runtime/processors/batch-parts.ts", symbol: "splitBatch" },
  flow: { kind: "message", effect: { content: "same" } },
});
