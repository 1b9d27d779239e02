import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./dedupe.schema.json" with { type: "json" };

/** The processor `dedupe`. */
export const dedupeProcessor: ProcessorDescriptor = defineProcessor({
  name: "dedupe",
  schema,
  runtime: { module: "runtime/processors/dedupe.ts", symbol: "dedupe" },
  flow: { kind: "message", effect: { content: "same" } },
  // If the cache fails, it flags messages, unless it is configured to drop them.
  mayFail: (options) => (options.literal("drop_on_err") === true ? undefined : "the cache may not answer"),
  changesCount: true,
  rules: ["dropped-without-cache", "key-of-messages"],
});
