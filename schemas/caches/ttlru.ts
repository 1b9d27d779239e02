import { defineCache, type ResourceDescriptor } from "../component.ts";
import schema from "./ttlru.schema.json" with { type: "json" };

/** The cache `ttlru`. */
export const ttlruCache: ResourceDescriptor = defineCache({
  name: "ttlru",
  schema,
  runtime: { module: "runtime/resources/lru-cache.ts", symbol: "ttlruCache" },
});
