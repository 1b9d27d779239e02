import type { Output } from "../../../component/component.ts";
import { textOf } from "../../../component/text.ts";
import { unfit } from "../../../grammar/computed-text.ts";
import { printJson } from "../../../message/json.ts";
import type { Batch, Message } from "../../../message/message.ts";
import { isArray, isObject, type Value } from "../../../message/value.ts";
import { asBuffer, encodeUtf8 } from "../../../text/utf8.ts";
import { redisArgument } from "../arguments.ts";
import { commandOutput } from "../command-output.ts";
import { keyCheck } from "../grammar.ts";
import { type RedisHashOutputOptions, redisHashOutputDefaults } from "./generated/output-options.ts";

/**
 * Sets fields of the hash that `key` names: those of the metadata, then of the document, then of `fields`. Later
 * fields override earlier ones of the same name.
 */
export function redisHashOutput(options: RedisHashOutputOptions): Output {
  const {
    key,
    walk_metadata,
    walk_json_object,
    fields = {},
    max_in_flight,
  } = {
    ...redisHashOutputDefaults,
    ...options,
  };
  const checkKey = keyCheck("key");
  const texts = Object.entries(fields);

  function fieldsOf(message: Message, batch: Batch, index: number): ReadonlyMap<string, Buffer> {
    const found = new Map<string, Buffer>();
    if (walk_metadata) for (const [name, value] of message.metadata) found.set(name, fieldValue(value));
    if (walk_json_object) {
      const document = message.document();
      if (document === undefined || !isObject(document)) throw unfit("The message is not a JSON object");
      for (const [name, value] of Object.entries(document)) found.set(name, fieldValue(value));
    }
    for (const [name, text] of texts) found.set(name, redisArgument(textOf(text, batch, index)));
    if (found.size === 0) throw unfit("The message has no field for the hash");
    return found;
  }

  return commandOutput({
    address: options,
    target: options.key,
    maxInFlight: max_in_flight,
    prepare(message, batch, index) {
      const name = checkKey(textOf(key, batch, index));
      const entries = [...fieldsOf(message, batch, index)].flatMap(([field, value]) => [
        asBuffer(encodeUtf8(field)),
        value,
      ]);
      return (redis) => redis.call("HSET", name, ...entries);
    },
  });
}

/** Converts a value to text: a hash only holds texts. */
function fieldValue(value: Value): Buffer {
  return redisArgument(isArray(value) || isObject(value) ? printJson(value) : value);
}
