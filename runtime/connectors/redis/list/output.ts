import type { Output } from "../../../component/component.ts";
import { textOf } from "../../../component/text.ts";
import { asBuffer } from "../../../text/utf8.ts";
import { commandOutput } from "../command-output.ts";
import { keyCheck } from "../grammar.ts";
import { type RedisListOutputOptions, redisListOutputDefaults } from "./generated/output-options.ts";

/** Pushes each message onto the list that `key` names. */
export function redisListOutput(options: RedisListOutputOptions): Output {
  const { key, command, max_in_flight } = { ...redisListOutputDefaults, ...options };
  const checkKey = keyCheck("key");
  return commandOutput({
    address: options,
    target: key,
    maxInFlight: max_in_flight,
    prepare(message, batch, index) {
      const list = checkKey(textOf(key, batch, index));
      const content = asBuffer(message.bytes());
      return (redis) => redis[command](list, content);
    },
  });
}
