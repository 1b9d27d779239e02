import { defineInput, type InputDescriptor } from "../../component.ts";
import { redisServers } from "../../shared/redis-rules.ts";
import input from "./input.schema.json" with { type: "json" };

const probe = { module: "runtime/resources/redis-probe.ts", symbol: "probeRedis" };

/** The input `redis_scan`. */
export const redisScanInput: InputDescriptor = defineInput({
  name: "redis_scan",
  schema: input,
  runtime: { module: "runtime/connectors/redis/scan/input.ts", symbol: "redisScanInput" },
  probe,
  division: {
    isDivided: () => false,
    otherwise: {
      clause: "reads all these keys",
      hint: "Run this stream in one replica, or make its processing idempotent.",
    },
  },
  rules: [redisServers],
});
