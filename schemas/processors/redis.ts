import { defineProcessor, type OptionRule, type ProcessorDescriptor } from "../component.ts";
import { redisServers } from "../shared/redis-rules.ts";
import schema from "./redis.schema.json" with { type: "json" };

/** A computed command could be any command, so the document has to list the allowed ones. */
const listedCommands: OptionRule = (options) => {
  if (!options.has("command")) return [];
  if (!options.has("args_mapping")) {
    return [
      {
        field: "command",
        message: "`command` needs `args_mapping`.",
        hint: "Add `args_mapping`, such as `root = [ this.key ]`, or `root = []` for none.",
      },
    ];
  }
  if (typeof options.literal("command") === "string" || options.texts("allowed_commands").length > 0)
    return [];
  return [
    {
      field: "command",
      message: "which command is sent is only known at run time.",
      hint: "List the commands that it may be in `allowed_commands`.",
    },
  ];
};

/** The processor `redis`. */
export const redisProcessor: ProcessorDescriptor = defineProcessor({
  name: "redis",
  schema,
  runtime: { module: "runtime/connectors/redis/command.ts", symbol: "redis" },
  probe: { module: "runtime/resources/redis-probe.ts", symbol: "probeRedis" },
  flow: { kind: "message", effect: { content: "unknown" } },
  mayFail: "Redis may not answer, or refuse the command",
  rules: [redisServers, listedCommands],
});
