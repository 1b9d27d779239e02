// Checks the arguments and targets of builtins, and converts them.

import { MappingError } from "../errors.ts";
import {
  isArray,
  isObject,
  type ObjectValue,
  SourceNumber,
  Timestamp,
  type Value,
  WholeFloat,
} from "../message/value.ts";
import { encodeUtf8 } from "../text/utf8.ts";
import { wrongType } from "./failures.ts";
import { typeName } from "./kinds.ts";
import { isNonZero, isNumber, numeric, toFloat, truncate } from "./numeric.ts";
import { textOf } from "./text.ts";

/** Returns an argument of type string, which may be text or bytes. `call` names the builtin: `method 'trim'`. */
export function textArgument(call: string, name: string, value: Value): string {
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array) return textOf(value);
  throw unfit(call, name, `wrong argument type, expected string, got ${typeName(value)}`);
}

/** Returns an argument of type array. */
export function arrayArgument(call: string, name: string, value: Value): readonly Value[] {
  if (isArray(value)) return value;
  throw unfit(call, name, `wrong argument type, expected array, got ${typeName(value)}`);
}

/** Returns an argument of type integer: any number, with its fraction cut off. */
export function integerArgument(call: string, name: string, value: Value): number {
  return Number(bigArgument(call, name, value));
}

/** Like `integerArgument`, but exact for every int64. */
export function bigArgument(call: string, name: string, value: Value): bigint {
  const number = numeric(value);
  if (number === undefined) throw unfit(call, name, noNumber(value, "Int"));
  return BigInt(truncate(number));
}

/** Returns an argument of type float. */
export function floatArgument(call: string, name: string, value: Value): number {
  const number = numeric(value);
  if (number === undefined) throw unfit(call, name, noNumber(value, "Float"));
  return toFloat(number);
}

/** Returns why a value is not a number: it has another type, or is beyond the range of float64. */
function noNumber(value: Value, type: "Int" | "Float"): string {
  if (!(value instanceof SourceNumber)) return wrongType("", ["number"], value).message;
  const reason = type === "Int" && /[.e]/i.test(`${value}`) ? "invalid syntax" : "value out of range";
  return `strconv.Parse${type}: parsing "${value}": ${reason}`;
}

/** Returns an argument of type bool: a bool, or a number, which is true unless it is zero. */
export function boolArgument(call: string, name: string, value: Value): boolean {
  if (typeof value === "boolean") return value;
  if (isNumber(value)) return isNonZero(value);
  throw unfit(call, name, wrongType("", ["bool"], value).message);
}

/** Returns a target that must be text or bytes as text. */
export function textTarget(target: Value, from: string): string {
  if (typeof target === "string") return target;
  if (target instanceof Uint8Array) return textOf(target);
  throw wrongType(from, ["string"], target);
}

/** Like `textTarget`, but also accepts timestamps, as RFC 3339 text. For methods that turn text into other text. */
export function spelledTarget(target: Value, from: string): string {
  return target instanceof Timestamp ? textOf(target) : textTarget(target, from);
}

/** Like `spelledTarget`, for plugins, whose errors do not name the origin of the target. */
export function pluginText(target: Value): string {
  return spelledTarget(target, "");
}

/** Returns the target of a plugin that works on bytes. Accepts text and timestamps as well. */
export function pluginBytes(target: Value): Uint8Array {
  if (target instanceof Uint8Array) return target;
  if (typeof target !== "string" && !(target instanceof Timestamp)) throw wrongType("", ["bytes"], target);
  return encodeUtf8(textOf(target));
}

/** Returns a target that must be an array. */
export function arrayTarget(target: Value, from: string): readonly Value[] {
  if (!isArray(target)) throw wrongType(from, ["array"], target);
  return target;
}

/** Returns a target that must be an object. */
export function objectTarget(target: Value, from: string): ObjectValue {
  if (!isObject(target)) throw wrongType(from, ["object"], target);
  return target;
}

/** Returns a target that must be a number as a float64. */
export function floatTarget(target: Value, from: string): number {
  if (target instanceof WholeFloat) return target.valueOf();
  const number = numeric(target);
  if (number === undefined) throw wrongType(from, ["number"], target);
  return toFloat(number);
}

function unfit(call: string, name: string, reason: string): MappingError {
  return new MappingError(`${call}: failed to extract input arg '${name}': ${reason}`);
}
