import { defineOutput, type OutputDescriptor } from "../../component.ts";
import { redisServers } from "../../shared/redis-rules.ts";
import output from "./output.schema.json" with { type: "json" };

const probe = { module: "runtime/resources/redis-probe.ts", symbol: "probeRedis" };

/** The output `redis_hash`. */
export const redisHashOutput: OutputDescriptor = defineOutput({
  name: "redis_hash",
  schema: output,
  runtime: { module: "runtime/connectors/redis/hash/output.ts", symbol: "redisHashOutput" },
  probe,
  rules: [redisServers],
});
