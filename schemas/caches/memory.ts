import { defineCache, type ResourceDescriptor } from "../component.ts";
import schema from "./memory.schema.json" with { type: "json" };

/** The cache `memory`. */
export const memoryCache: ResourceDescriptor = defineCache({
  name: "memory",
  schema,
  runtime: { module: "runtime/resources/memory-cache.ts", symbol: "memoryCache" },
});
