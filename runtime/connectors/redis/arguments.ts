// Converts values of mappings to arguments of commands, and replies to values.

import { MappingError } from "../../errors.ts";
import { nativeTypeName } from "../../mapping/kinds.ts";
import { parseJsonText, printJson } from "../../message/json.ts";
import type { Message } from "../../message/message.ts";
import { formatTimestamp } from "../../message/timestamp.ts";
import { isArray, isObject, Timestamp, type Value } from "../../message/value.ts";
import { asBuffer, decodeUtf8, encodeUtf8 } from "../../text/utf8.ts";

/**
 * Converts a value to an argument: texts and bytes stay as they are, numbers become digits, booleans 1 and 0, null an
 * empty text. Throws a `MappingError` for arrays and objects, which Redis cannot represent.
 */
export function redisArgument(value: Value): Buffer {
  if (value instanceof Uint8Array) return asBuffer(value);
  if (isArray(value) || isObject(value)) {
    const what = isArray(value) ? "an array" : "an object";
    throw new MappingError(
      `redis: can't marshal ${nativeTypeName(value)} (implement encoding.BinaryMarshaler)`,
      `redis: ${what} cannot be an argument of a command`,
    );
  }
  return asBuffer(encodeUtf8(scalarText(value)));
}

function scalarText(value: Value): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "1" : "0";
  if (value === null) return "";
  return value instanceof Timestamp ? formatTimestamp(value) : printJson(value);
}

/** Returns the arguments that a mapping made for a message; throws a `MappingError` if it did not make an array. */
export function argumentsOf(made: Message | undefined): readonly Value[] {
  const value = made?.document();
  if (value === undefined) throw new MappingError(made?.documentFailure() ?? "the mapping made no message");
  if (!isArray(value)) throw new MappingError(`mapping returned non-array result: ${nativeTypeName(value)}`);
  return value;
}

/** Converts a reply with typed values (`typedReplies`) to a value. */
export function replyValue(reply: unknown): Value {
  if (reply === null || reply === undefined) return null;
  if (reply instanceof Uint8Array) return decodeUtf8(reply);
  if (Array.isArray(reply)) return reply.map(replyValue);
  if (reply instanceof Error) return reply.message;
  if (typeof reply === "boolean") return reply;
  if (typeof reply === "object") {
    return Object.fromEntries(Object.entries(reply).map(([name, each]) => [name, replyValue(each)]));
  }
  // Numbers arrive as text, so that none loses digits; `inf` and `nan` are not JSON numbers.
  const parsed = parseJsonText(String(reply));
  return "value" in parsed ? parsed.value : String(reply);
}
