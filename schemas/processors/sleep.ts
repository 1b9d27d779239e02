import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./sleep.schema.json" with { type: "json" };

/** The processor `sleep`. */
export const sleepProcessor: ProcessorDescriptor = defineProcessor({
  name: "sleep",
  schema,
  runtime: { module: "runtime/processors/sleep.ts", symbol: "sleep" },
  flow: { kind: "message", effect: { content: "same" } },
  mayFail: "the text may be no duration",
});
