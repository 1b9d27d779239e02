// Arguments of builtins: what a computed value must be, and the targets methods accept.

import { MappingError } from "../errors.ts";
import { isArray, isObject, type ObjectValue, Timestamp, type Value, WholeFloat } from "../message/value.ts";
import { encodeUtf8 } from "../text/utf8.ts";
import { wrongType } from "./failures.ts";
import { typeName } from "./kinds.ts";
import { isNonZero, isNumber, numeric, toFloat, truncate } from "./numeric.ts";
import { textOf } from "./text.ts";

/** An argument of type string: text or bytes. `call` names the builtin: `method 'trim'`. */
export function textArgument(call: string, name: string, value: Value): string {
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array) return textOf(value);
  throw unfit(call, name, `wrong argument type, expected string, got ${typeName(value)}`);
}

/** An argument of type array. */
export function arrayArgument(call: string, name: string, value: Value): readonly Value[] {
  if (isArray(value)) return value;
  throw unfit(call, name, `wrong argument type, expected array, got ${typeName(value)}`);
}

/** An argument of type integer: any number, its fraction cut off. */
export function integerArgument(call: string, name: string, value: Value): number {
  return Number(bigArgument(call, name, value));
}

/** As `integerArgument`, exact for every int64. */
export function bigArgument(call: string, name: string, value: Value): bigint {
  const number = numeric(value);
  if (number === undefined) throw unfit(call, name, wrongType("", ["number"], value).message);
  return BigInt(truncate(number));
}

/** An argument of type float. */
export function floatArgument(call: string, name: string, value: Value): number {
  const number = numeric(value);
  if (number === undefined) throw unfit(call, name, wrongType("", ["number"], value).message);
  return toFloat(number);
}

/** An argument of type bool: a bool, or a number that is true unless zero. */
export function boolArgument(call: string, name: string, value: Value): boolean {
  if (typeof value === "boolean") return value;
  if (isNumber(value)) return isNonZero(value);
  throw unfit(call, name, wrongType("", ["bool"], value).message);
}

/** A target that must be text or bytes, as text. */
export function textTarget(target: Value, from: string): string {
  if (typeof target === "string") return target;
  if (target instanceof Uint8Array) return textOf(target);
  throw wrongType(from, ["string"], target);
}

/** As `textTarget`, of methods that make text of any text: timestamps count as RFC 3339. */
export function spelledTarget(target: Value, from: string): string {
  return target instanceof Timestamp ? textOf(target) : textTarget(target, from);
}

/** As `spelledTarget`, of plugins, which name no source. */
export function pluginText(target: Value): string {
  return spelledTarget(target, "");
}

/** The target of a plugin that works on bytes; text and timestamps count as well. */
export function pluginBytes(target: Value): Uint8Array {
  if (target instanceof Uint8Array) return target;
  if (typeof target !== "string" && !(target instanceof Timestamp)) throw wrongType("", ["bytes"], target);
  return encodeUtf8(textOf(target));
}

/** A target that must be an array. */
export function arrayTarget(target: Value, from: string): readonly Value[] {
  if (!isArray(target)) throw wrongType(from, ["array"], target);
  return target;
}

/** A target that must be an object. */
export function objectTarget(target: Value, from: string): ObjectValue {
  if (!isObject(target)) throw wrongType(from, ["object"], target);
  return target;
}

/** A target that must be a number, as a float64. */
export function floatTarget(target: Value, from: string): number {
  if (target instanceof WholeFloat) return target.valueOf();
  const number = numeric(target);
  if (number === undefined) throw wrongType(from, ["number"], target);
  return toFloat(number);
}

function unfit(call: string, name: string, reason: string): MappingError {
  return new MappingError(`${call}: failed to extract input arg '${name}': ${reason}`);
}
