import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./cache.schema.json" with { type: "json" };

/** Operators that replace the message. */
const reading: readonly unknown[] = ["get", "exists"];

/** The processor `cache`. */
export const cacheProcessor: ProcessorDescriptor = defineProcessor({
  name: "cache",
  schema,
  runtime: { module: "runtime/processors/cache.ts", symbol: "cache" },
  flow: {
    kind: "message",
    effect: (options) => ({ content: reading.includes(options.literal("operator")) ? "unknown" : "same" }),
  },
  rules: ["kept-value"],
  mayFail: "the cache may not answer, or not hold the key",
});
