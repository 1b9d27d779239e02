import { MappingError } from "../../errors.ts";
import { unfitText } from "../../grammar/computed-text.ts";
import { nativeTypeName } from "../../mapping/kinds.ts";
import { printJson } from "../../message/json.ts";
import type { Message } from "../../message/message.ts";
import { formatTimestamp } from "../../message/timestamp.ts";
import { isArray, isObject, Timestamp, type Value } from "../../message/value.ts";

/** Returns the parameters that a mapping made for a message; throws a `MappingError` if it did not make an array. */
export function parametersOf(made: Message | undefined): readonly Value[] {
  const value = made?.document();
  if (value === undefined)
    throw new MappingError(`mapping returned non-structured result: ${made?.documentFailure()}`);
  if (!isArray(value)) throw new MappingError(`mapping returned non-array result: ${nativeTypeName(value)}`);
  return value;
}

/** The values that drivers bind. Numbers that JavaScript cannot represent are texts. */
export type SqlParameter = null | boolean | number | bigint | string | Uint8Array;

/**
 * Converts a value to a parameter. Throws a `MappingError` for arrays and objects, which databases represent differently,
 * and a `GatewayError` (422) for a lone surrogate: drivers would write U+FFFD.
 */
export function parameterOf(value: Value, index: number): SqlParameter {
  if (value === null || value instanceof Uint8Array) return value;
  if (typeof value === "string" && !value.isWellFormed())
    throw unfitText(`argument $${index + 1}`, "a text that UTF-8 can hold");
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "bigint") return value;
  if (typeof value === "number") return value;
  if (isArray(value) || isObject(value)) {
    const what = isArray(value) ? "an array" : "an object";
    throw new MappingError(`sql: converting argument $${index + 1} type: ${what} is not a value of a column`);
  }
  return value instanceof Timestamp ? formatTimestamp(value) : printJson(value);
}
