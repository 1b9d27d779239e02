import type { RateLimit } from "../component/resource.ts";
import { type RedisRateLimitOptions, redisRateLimitDefaults } from "./generated/redis-rate-limit-options.ts";
import { createRedisConnection } from "./redis-client.ts";

/**
 * Counts one message, or returns the remaining time of the key. Redis runs the script atomically, so that two
 * gateways cannot both take the last place. A key without an expiry, which only another program can have created,
 * gets one.
 */
const script = `
local count, interval = tonumber(ARGV[1]), tonumber(ARGV[2])
if tonumber(redis.call("GET", KEYS[1]) or "0") >= count then
  local left = redis.call("PTTL", KEYS[1])
  if left > 0 then return left end
  redis.call("PEXPIRE", KEYS[1], interval)
  return interval
end
if redis.call("INCR", KEYS[1]) == 1 then redis.call("PEXPIRE", KEYS[1], interval) end
return 0`;

/** A rate limit that counts in Redis, shared by all gateways that use the same key and the same settings. */
export function redisRateLimit(options: RedisRateLimitOptions): RateLimit {
  const { count, interval, key } = { ...redisRateLimitDefaults, ...options };
  const connection = createRedisConnection(options);
  const milliseconds = Math.max(1, Math.round(interval));
  return {
    start: (context) => connection.start(context),
    async take() {
      return Number(await connection.ask((redis) => redis.eval(script, 1, key, count, milliseconds)));
    },
    close: () => connection.close(),
  };
}
