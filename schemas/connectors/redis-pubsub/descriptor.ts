import { plainChannels } from "../../broker-channels.ts";
import { defineInput, defineOutput, type InputDescriptor, type OutputDescriptor } from "../../component.ts";
import { redisServers } from "../../shared/redis-rules.ts";
import input from "./input.schema.json" with { type: "json" };
import output from "./output.schema.json" with { type: "json" };

const probe = { module: "runtime/resources/redis-probe.ts", symbol: "probeRedis" };

/** The input `redis_pubsub`. */
export const redisPubsubInput: InputDescriptor = defineInput({
  name: "redis_pubsub",
  schema: input,
  brokerChannels: plainChannels("redis", "url", "channels"),
  runtime: { module: "runtime/connectors/redis/pubsub/input.ts", symbol: "redisPubsubInput" },
  probe,
  division: {
    isDivided: () => false,
    otherwise: {
      clause: "reads every message of these channels",
      hint: "Use `redis_streams` with a consumer group, so that replicas share the messages.",
    },
  },
  rules: [redisServers],
});

/** The output `redis_pubsub`. */
export const redisPubsubOutput: OutputDescriptor = defineOutput({
  name: "redis_pubsub",
  schema: output,
  brokerChannels: plainChannels("redis", "url", "channel"),
  runtime: { module: "runtime/connectors/redis/pubsub/output.ts", symbol: "redisPubsubOutput" },
  probe,
  rules: [redisServers],
});
