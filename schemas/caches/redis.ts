import { defineCache, type ResourceDescriptor } from "../component.ts";
import { redisServers } from "../shared/redis-rules.ts";
import schema from "./redis.schema.json" with { type: "json" };

/** The cache `redis`. */
export const redisCache: ResourceDescriptor = defineCache({
  name: "redis",
  schema,
  runtime: { module: "runtime/resources/redis-cache.ts", symbol: "redisCache" },
  probe: { module: "runtime/resources/redis-probe.ts", symbol: "probeRedis" },
  rules: [redisServers],
});
