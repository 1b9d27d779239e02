import { plainChannels } from "../../broker-channels.ts";
import { defineInput, defineOutput, type InputDescriptor, type OutputDescriptor } from "../../component.ts";
import { redisServers } from "../../shared/redis-rules.ts";
import input from "./input.schema.json" with { type: "json" };
import output from "./output.schema.json" with { type: "json" };

const probe = { module: "runtime/resources/redis-probe.ts", symbol: "probeRedis" };

/** The input `redis_streams`. */
export const redisStreamsInput: InputDescriptor = defineInput({
  name: "redis_streams",
  schema: input,
  brokerChannels: plainChannels("redis", "url", "streams"),
  runtime: { module: "runtime/connectors/redis/streams/input.ts", symbol: "redisStreamsInput" },
  probe,
  division: {
    // Members of a group share the entries.
    isDivided: () => true,
  },
  rules: [redisServers],
});

/** The output `redis_streams`. */
export const redisStreamsOutput: OutputDescriptor = defineOutput({
  name: "redis_streams",
  schema: output,
  brokerChannels: plainChannels("redis", "url", "stream"),
  runtime: { module: "runtime/connectors/redis/streams/output.ts", symbol: "redisStreamsOutput" },
  probe,
  rules: [redisServers],
});
