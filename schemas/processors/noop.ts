import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./noop.schema.json" with { type: "json" };

/** The processor `noop`. */
export const noopProcessor: ProcessorDescriptor = defineProcessor({
  name: "noop",
  schema,
  runtime: { module: "runtime/processors/noop.ts", symbol: "noop" },
  flow: { kind: "message", effect: { content: "same" } },
});
