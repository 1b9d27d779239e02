// Methods on arrays. A query is a function of the value that is `this` in it.

import { MappingError } from "../errors.ts";
import { deleted, isArray, isObject, nothing, type ObjectValue, type Value } from "../message/value.ts";
import { decodeUtf8, encodeUtf8 } from "../text/utf8.ts";
import { arrayTarget, integerArgument } from "./arguments.ts";
import { failedOn, failedWithin, wrongType } from "./failures.ts";
import { equalTo, isTrue } from "./operators.ts";

/** A query argument. */
export type Query = (value: Value) => Value;

/** `.map_each(query)`: `deleted()` leaves the element out, `nothing()` keeps it as it is. */
export function mapEach(target: Value, from: string, query: Query): Value {
  if (isArray(target)) return mapElements(target, query);
  if (!isObject(target)) throw wrongType(from, ["array", "object"], target);
  const entries: [string, Value][] = [];
  for (const [key, value] of Object.entries(target)) {
    const mapped = processed(key, query, { key, value });
    if (mapped !== deleted) entries.push([key, mapped === nothing ? value : mapped]);
  }
  return Object.fromEntries(entries);
}

/** `.filter(test)`: keeps what the test gives exactly `true` for. */
export function filter(target: Value, from: string, test: Query): Value {
  if (isArray(target)) return target.filter((element, index) => isTrue(processed(index, test, element)));
  if (!isObject(target)) throw wrongType(from, ["array", "object"], target);
  const kept = Object.entries(target).filter(([key, value]) => isTrue(processed(key, test, { key, value })));
  return Object.fromEntries(kept);
}

/** `.fold(initial, query)`: the query sees `tally` and `value`. */
export function fold(target: Value, from: string, initial: Value, query: Query): Value {
  return arrayTarget(target, from).reduce((tally: Value, value) => query({ tally, value }), initial);
}

/** `.any(test)` */
export function any(target: Value, from: string, test: Query): boolean {
  return arrayTarget(target, from).some((element, index) => tested(element, index, from, test));
}

/** `.all(test)`; an empty array gives false. */
export function all(target: Value, from: string, test: Query): boolean {
  const elements = arrayTarget(target, from);
  return elements.length > 0 && elements.every((element, index) => tested(element, index, from, test));
}

/** `.append(a, b)` */
export function append(target: Value, from: string, ...values: readonly Value[]): readonly Value[] {
  return [...arrayTarget(target, from), ...values];
}

/** `.concat(a, b)` */
export function concat(target: Value, _from: string, ...others: readonly Value[]): readonly Value[] {
  return arrayTarget(target, "").concat(...others.map((other) => arrayTarget(other, "")));
}

/** `.zip(a, b)` */
export function zip(target: Value, _from: string, ...others: readonly Value[]): readonly Value[] {
  const arrays = [target, ...others].map((other) => arrayTarget(other, ""));
  const [first = []] = arrays;
  if (arrays.some((elements) => elements.length !== first.length)) {
    throw new MappingError("can't zip different length array values");
  }
  return first.map((_, index) => arrays.map((elements) => elements[index] ?? null));
}

/** `.enumerated()` */
export function enumerated(target: Value, from: string): readonly Value[] {
  return arrayTarget(target, from).map((value, index) => ({ index, value }));
}

/** `.flatten()`, one level. */
export function flatten(target: Value, from: string): readonly Value[] {
  return arrayTarget(target, from).flat();
}

/** `.find(value)` */
export function find(target: Value, from: string, value: Value): number {
  return arrayTarget(target, from).findIndex(equalTo(value));
}

/** `.find_by(query)` */
export function findBy(target: Value, from: string, query: Query): number {
  return arrayTarget(target, from).findIndex((element, index) => tested(element, index, from, query));
}

/** `.find_all(value)` */
export function findAll(target: Value, from: string, value: Value): readonly Value[] {
  return indexesOf(arrayTarget(target, from), equalTo(value));
}

/** `.find_all_by(query)` */
export function findAllBy(target: Value, from: string, query: Query): readonly Value[] {
  return indexesOf(arrayTarget(target, from), (element, index) => tested(element, index, from, query));
}

/** `.index(i)` of an array, or of bytes as a number. */
export function elementAt(target: Value, from: string, index: Value): Value {
  if (!isArray(target) && !(target instanceof Uint8Array)) throw wrongType(from, ["array"], target);
  const asked = integerArgument("method 'index'", "index", index);
  const found = target.at(asked);
  if (found !== undefined) return found;
  throw failedOn(from, `index '${asked}' was out of bounds for array size: ${target.length}`);
}

/** `.slice(low, high)`; text is counted in bytes. */
export function partOf(target: Value, from: string, low: Value, high?: Value): Value {
  const first = integerArgument("method 'slice'", "low", low);
  const last = high === undefined ? undefined : integerArgument("method 'slice'", "high", high);
  if (last !== undefined && first >= last && first >= 0 === last >= 0) {
    throw failedOn(from, `lower slice bound ${first} must be lower than upper (${last})`);
  }
  if (isArray(target)) return target.slice(...bounds(first, last, target.length));
  if (target instanceof Uint8Array) return target.subarray(...bounds(first, last, target.length));
  if (typeof target !== "string") throw wrongType(from, ["array", "string"], target);
  const bytes = encodeUtf8(target);
  if (bytes.length === target.length) return target.slice(...bounds(first, last, target.length));
  return decodeUtf8(bytes.subarray(...bounds(first, last, bytes.length)));
}

function bounds(low: number, high: number | undefined, length: number): [number, number] {
  const upper = high === undefined ? length : Math.max(0, Math.min(high < 0 ? length + high : high, length));
  const lower = Math.max(0, low < 0 ? length + low : low);
  return [Math.min(lower, upper), upper];
}

function mapElements(elements: readonly Value[], query: Query): readonly Value[] {
  const mapped: Value[] = [];
  for (const [index, element] of elements.entries()) {
    const value = processed(index, query, element);
    if (value !== deleted) mapped.push(value === nothing ? element : value);
  }
  return mapped;
}

function processed(place: number | string, query: Query, value: Value | ObjectValue): Value {
  try {
    return query(value);
  } catch (error) {
    throw failedWithin(`failed to process element ${place}`, error);
  }
}

/** A test that has to give a bool. */
function tested(element: Value, index: number, from: string, test: Query): boolean {
  const place = from === "" ? `element ${index}` : `${from}: element ${index}`;
  let result: Value;
  try {
    result = test(element);
  } catch (error) {
    throw failedWithin(place, error);
  }
  if (typeof result === "boolean") return result;
  throw failedOn(place, wrongType("", ["bool"], result).message);
}

function indexesOf(
  elements: readonly Value[],
  test: (element: Value, index: number) => boolean,
): readonly Value[] {
  const found: number[] = [];
  for (const [index, element] of elements.entries()) if (test(element, index)) found.push(index);
  return found;
}
