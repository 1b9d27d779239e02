// Methods on values of any type.

import { MappingError } from "../errors.ts";
import { isArray, isObject, type Value } from "../message/value.ts";
import { hasText } from "../text/search.ts";
import { utf8Length } from "../text/utf8.ts";
import { boolArgument, integerArgument, textArgument } from "./arguments.ts";
import { failedOn, wrongType } from "./failures.ts";
import { type TypeName, typeName } from "./kinds.ts";
import { isNonZero, isNumber } from "./numeric.ts";
import { equalTo } from "./operators.ts";
import { mostBytes, refuseLarger } from "./size-limits.ts";
import { bytesOf, textOf } from "./text.ts";

const boolTexts: ReadonlyMap<string, boolean> = /* @__PURE__ */ new Map([
  ...["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, false] as const),
]);

/** `throw(why)` */
export function throwError(why: Value): never {
  throw new MappingError(textArgument("function 'throw'", "why", why));
}

/** `.string()` */
export function string(target: Value, _from: string): string {
  return textOf(target);
}

/** `.bytes()` */
export function bytes(target: Value, _from: string): Uint8Array {
  return bytesOf(target);
}

/** `bytes(length)`: returns `length` zero bytes. */
export function zeroBytes(length: Value): Uint8Array {
  const size = integerArgument("function 'bytes'", "length", length);
  if (size < 0) throw new MappingError(`bytes length must be positive, got ${size}`);
  refuseLarger("bytes", size, mostBytes);
  return new Uint8Array(size);
}

/** `.bool(default)`: accepts bools, numbers, which are true unless zero, and texts such as `true`. */
export function bool(target: Value, from: string, fallback?: Value): boolean {
  const other = fallback === undefined ? undefined : boolArgument("method 'bool'", "default", fallback);
  if (typeof target === "boolean") return target;
  if (isNumber(target)) return isNonZero(target);
  const isText = typeof target === "string" || target instanceof Uint8Array;
  const known = isText ? boolTexts.get(textOf(target)) : undefined;
  if (known !== undefined) return known;
  if (other !== undefined) return other;
  throw wrongType(from, ["bool"], target);
}

/** `.array()` */
export function array(target: Value, _from: string): readonly Value[] {
  return isArray(target) ? target : [target];
}

/** `.type()` */
export function typeOf(target: Value, _from: string): TypeName {
  return typeName(target);
}

/** `.not_null()` */
export function notNull(target: Value, from: string): Value {
  if (target === null) throw failedOn(from, "value is null", "value is null", "value is null");
  return target;
}

/** `.not_empty()` */
export function notEmpty(target: Value, from: string): Value {
  if (target instanceof Uint8Array) throw wrongType(from, ["string", "array", "object"], target);
  if (size(target, from) === 0) throw failedOn(from, `${typeName(target)} value is empty`);
  return target;
}

/** `.length()`: returns the number of bytes of a text, of elements, or of keys. */
export function length(target: Value, from: string): number {
  return size(target, from);
}

/** `.contains(value)`: a text is searched for the text form of the value. */
export function contains(target: Value, from: string, value: Value): boolean {
  if (typeof target === "string" || target instanceof Uint8Array)
    return hasText(textOf(target), textOf(value));
  const isWanted = equalTo(value);
  if (isArray(target)) return target.some(isWanted);
  if (isObject(target)) return Object.values(target).some(isWanted);
  throw wrongType(from, ["string", "array", "object"], target);
}

function size(target: Value, from: string): number {
  if (typeof target === "string") return utf8Length(target);
  if (target instanceof Uint8Array || isArray(target)) return target.length;
  if (isObject(target)) return Object.keys(target).length;
  throw wrongType(from, ["string", "array", "object"], target);
}
