import { defineCache, type ResourceDescriptor } from "../component.ts";
import schema from "./lru.schema.json" with { type: "json" };

/** The cache `lru`. */
export const lruCache: ResourceDescriptor = defineCache({
  name: "lru",
  schema,
  runtime: { module: "runtime/resources/lru-cache.ts", symbol: "lruCache" },
});
