import { defineRateLimit, type ResourceDescriptor } from "../component.ts";
import { redisServers } from "../shared/redis-rules.ts";
import schema from "./redis.schema.json" with { type: "json" };

/** The rate limit `redis`. */
export const redisRateLimit: ResourceDescriptor = defineRateLimit({
  name: "redis",
  schema,
  runtime: { module: "runtime/resources/redis-rate-limit.ts", symbol: "redisRateLimit" },
  probe: { module: "runtime/resources/redis-probe.ts", symbol: "probeRedis" },
  rules: [redisServers],
});
