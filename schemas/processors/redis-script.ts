import { defineProcessor, type ProcessorDescriptor } from "../component.ts";
import { redisServers } from "../shared/redis-rules.ts";
import schema from "./redis-script.schema.json" with { type: "json" };

/** The processor `redis_script`. */
export const redisScriptProcessor: ProcessorDescriptor = defineProcessor({
  name: "redis_script",
  schema,
  runtime: { module: "runtime/connectors/redis/script.ts", symbol: "redisScript" },
  probe: { module: "runtime/resources/redis-probe.ts", symbol: "probeRedis" },
  flow: { kind: "message", effect: { content: "unknown" } },
  mayFail: "Redis may not answer, or the script may fail",
  rules: [redisServers],
});
