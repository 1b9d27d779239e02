import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./cache.schema.json" with { type: "json" };

/** The processor `cache`. */
export const cacheProcessor: ProcessorDescriptor = defineProcessor({
  name: "cache",
  schema,
  runtime: { module: "runtime/processors/cache.ts", symbol: "cache" },
  flow: {
    kind: "message",
    effect: (options) => ({ content: options.literal("operator") === "get" ? "unknown" : "same" }),
  },
  mayFail: "the cache may not answer, or not hold the key",
});
