import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./awk.schema.json" with { type: "json" };

/** The processor `awk`. */
export const awkProcessor: ProcessorDescriptor = defineProcessor({
  name: "awk",
  schema,
  runtime: { module: "runtime/processors/awk/awk.ts", symbol: "awk" },
  inspect: { module: "runtime/processors/awk/inspect.ts", symbol: "inspectAwk" },
  flow: {
    kind: "message",
    effect: (options) => ({
      content: "unknown",
      setsMetadata: String(options.literal("program")).includes("metadata_set"),
    }),
  },
  mayFail: "the program may fail on the message",
});
