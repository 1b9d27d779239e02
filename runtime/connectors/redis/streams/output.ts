import type { Output } from "../../../component/component.ts";
import { textOf } from "../../../component/text.ts";
import type { Message } from "../../../message/message.ts";
import { travellingMetadata } from "../../../message/metadata.ts";
import { asBuffer, encodeUtf8 } from "../../../text/utf8.ts";
import { commandOutput } from "../command-output.ts";
import { keyCheck } from "../grammar.ts";
import { type RedisStreamsOutputOptions, redisStreamsOutputDefaults } from "./generated/output-options.ts";

/**
 * Adds each message to a stream, with the selected metadata as further fields.
 * The content overrides metadata of the same name.
 */
export function redisStreamsOutput(options: RedisStreamsOutputOptions): Output {
  const { stream, body_key, max_length, max_in_flight, metadata } = {
    ...redisStreamsOutputDefaults,
    ...options,
  };
  const checkStream = keyCheck("stream");
  // With an approximate limit, Redis only removes whole nodes, which costs very little.
  const limit = max_length > 0 ? ["MAXLEN", "~", max_length] : [];
  const fieldsOf = (message: Message): Buffer[] =>
    travellingMetadata(message, metadata.exclude_prefixes)
      .filter(([name]) => name !== body_key)
      .flat()
      .map((each) => asBuffer(typeof each === "string" ? encodeUtf8(each) : each));
  return commandOutput({
    address: options,
    target: stream,
    maxInFlight: max_in_flight,
    prepare(message, batch, index) {
      const name = checkStream(textOf(stream, batch, index));
      const entry = [...fieldsOf(message), body_key, asBuffer(message.bytes())];
      return (redis) => redis.call("XADD", name, ...limit, "*", ...entry);
    },
  });
}
