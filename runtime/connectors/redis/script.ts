// `redis_script`: runs a Lua script for each message.

import { createHash } from "node:crypto";
import type { Redis } from "ioredis";
import type { Processor } from "../../component/component.ts";
import { computedLedBy } from "../../component/text.ts";
import { printJson } from "../../message/json.ts";
import { isArray, isObject, type Value } from "../../message/value.ts";
import type { MappingFunction } from "../../processors/functions.ts";
import {
  type RedisScriptOptions,
  redisScriptDefaults,
} from "../../processors/generated/redis-script-options.ts";
import { argumentsOf, redisArgument } from "./arguments.ts";
import { askingProcessor } from "./asking.ts";
import { isRefusal } from "./command.ts";

/**
 * Runs a script for each message and replaces the message with the result.
 * Redis receives the text of the script only once.
 */
export function redisScript(options: RedisScriptOptions): Processor {
  const { script, keys_mapping, args_mapping, retries, retry_period } = {
    ...redisScriptDefaults,
    ...options,
  };
  const digest = createHash("sha1").update(script).digest("hex"); // the name that Redis gives a script
  return askingProcessor({
    address: options,
    retries,
    retryPeriod: retry_period,
    prepare(batch, index) {
      const made = (name: string, mapping: MappingFunction) =>
        computedLedBy(`${name} failed: `, () =>
          argumentsOf(computedLedBy("mapping failed: ", () => mapping(batch, index))),
        );
      const values = made("args_mapping", args_mapping).map(redisArgument);
      const keys = made("keys_mapping", keys_mapping).map(keyOf);
      return (redis) => run(redis, [String(keys.length), ...keys, ...values]);
    },
  });

  async function run(redis: Redis, given: readonly (string | Buffer)[]): Promise<unknown> {
    try {
      return await redis.callBuffer("EVALSHA", digest, ...given);
    } catch (error) {
      if (!isRefusal(error, "NOSCRIPT")) throw error;
      return redis.callBuffer("EVAL", script, ...given);
    }
  }
}

/** Converts a key to text, whatever type the mapping made. */
function keyOf(value: Value): Buffer {
  return redisArgument(
    isArray(value) || isObject(value) || typeof value === "boolean" ? printJson(value) : value,
  );
}
