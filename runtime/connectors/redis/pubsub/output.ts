import type { Output } from "../../../component/component.ts";
import { textOf } from "../../../component/text.ts";
import { asBuffer } from "../../../text/utf8.ts";
import { commandOutput } from "../command-output.ts";
import { keyCheck } from "../grammar.ts";
import { type RedisPubsubOutputOptions, redisPubsubOutputDefaults } from "./generated/output-options.ts";

/** Publishes each message to a channel. A write resolves once Redis has accepted it, even without subscribers. */
export function redisPubsubOutput(options: RedisPubsubOutputOptions): Output {
  const { channel, max_in_flight } = { ...redisPubsubOutputDefaults, ...options };
  const checkChannel = keyCheck("channel");
  return commandOutput({
    address: options,
    target: channel,
    maxInFlight: max_in_flight,
    prepare(message, batch, index) {
      const name = checkChannel(textOf(channel, batch, index));
      const content = asBuffer(message.bytes());
      return (redis) => redis.publish(name, content);
    },
  });
}
