import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import schema from "./cached.schema.json" with { type: "json" };

/** The processor `cached`. */
export const cachedProcessor: ProcessorDescriptor = defineProcessor({
  name: "cached",
  schema,
  runtime: { module: "runtime/processors/cached.ts", symbol: "cached" },
  flow: { kind: "cached" },
  mayFail: "the cache may not answer",
  changesCount: true,
});
