import { defineCache, type ResourceDescriptor } from "../component.ts";
import schema from "./memcached.schema.json" with { type: "json" };

/** The cache `memcached`. */
export const memcachedCache: ResourceDescriptor = defineCache({
  name: "memcached",
  schema,
  runtime: { module: "runtime/resources/memcached/cache.ts", symbol: "memcachedCache" },
  probe: { module: "runtime/resources/memcached/probe.ts", symbol: "probeMemcached" },
});
