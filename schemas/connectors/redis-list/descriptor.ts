import { defineInput, defineOutput, type InputDescriptor, type OutputDescriptor } from "../../component.ts";
import { redisServers } from "../../shared/redis-rules.ts";
import input from "./input.schema.json" with { type: "json" };
import output from "./output.schema.json" with { type: "json" };

const probe = { module: "runtime/resources/redis-probe.ts", symbol: "probeRedis" };

/** The input `redis_list`. */
export const redisListInput: InputDescriptor = defineInput({
  name: "redis_list",
  schema: input,
  runtime: { module: "runtime/connectors/redis/list/input.ts", symbol: "redisListInput" },
  probe,
  division: {
    // Only one reader pops each value.
    isDivided: () => true,
  },
  rules: [redisServers],
});

/** The output `redis_list`. */
export const redisListOutput: OutputDescriptor = defineOutput({
  name: "redis_list",
  schema: output,
  runtime: { module: "runtime/connectors/redis/list/output.ts", symbol: "redisListOutput" },
  probe,
  rules: [redisServers],
});
