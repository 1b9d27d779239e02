// Methods on arrays. A query is a function of the value that `this` refers to in it.

import { MappingError } from "../errors.ts";
import { deleted, isArray, isObject, nothing, type ObjectValue, type Value } from "../message/value.ts";
import { decodeUtf8, encodeUtf8 } from "../text/utf8.ts";
import { arrayTarget, bigArgument, integerArgument } from "./arguments.ts";
import { failedInQuery, failedOn, failedWithin, TypeFailure, wrongType } from "./failures.ts";
import { equalTo, isTrue } from "./operators.ts";

/** A query argument. */
export type Query = (value: Value) => Value;

/** `.map_each(query)`: `deleted()` removes the element, `nothing()` leaves it unchanged. */
export function mapEach(target: Value, from: string, query: Query, part = ""): Value {
  if (isArray(target)) return mapElements(target, from, query, part);
  if (!isObject(target)) throw wrongType(from, ["array"], target);
  const entries: [string, Value][] = [];
  for (const [key, value] of Object.entries(target)) {
    const mapped = processed(key, { from, part }, query, { key, value });
    if (mapped !== deleted) entries.push([key, mapped === nothing ? value : mapped]);
  }
  return Object.fromEntries(entries);
}

/** `.filter(test)`: keeps the elements for which the test returns exactly `true`. */
export function filter(target: Value, from: string, test: Query): Value {
  const isKept = (value: Value) => isTrue(runQuery(from, test, value));
  if (isArray(target)) return target.filter(isKept);
  if (!isObject(target)) throw wrongType(from, ["array", "object"], target);
  return Object.fromEntries(Object.entries(target).filter(([key, value]) => isKept({ key, value })));
}

/** `.fold(initial, query)`: `this` in the query has the fields `tally` and `value`. */
export function fold(target: Value, from: string, initial: Value, query: Query): Value {
  return arrayTarget(target, from).reduce(
    (tally: Value, value) => runQuery(from, query, { tally, value }),
    initial,
  );
}

/** `.any(test)` */
export function any(target: Value, from: string, test: Query): boolean {
  return arrayTarget(target, from).some((element, index) => tested(element, index, from, test));
}

/** `.all(test)`: false for an empty array. */
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
  const rest = others.map((other) => arrayTarget(other, ""));
  return arrayTarget(target, "").concat(...rest);
}

/** `.zip(a, b)` */
export function zip(target: Value, _from: string, ...others: readonly Value[]): readonly Value[] {
  const rest = others.map((other) => arrayTarget(other, ""));
  const first = arrayTarget(target, "");
  if (rest.length === 0) throw new MappingError("zip requires at least one argument");
  const arrays = [first, ...rest];
  if (arrays.some((elements) => elements.length !== first.length)) {
    throw new MappingError("can't zip different length array values");
  }
  return first.map((_, index) => arrays.map((elements) => elements[index] ?? null));
}

/** `.enumerated()` */
export function enumerated(target: Value, from: string): readonly Value[] {
  return arrayTarget(target, from).map((value, index) => ({ index, value }));
}

/** `.flatten()`: flattens one level. */
export function flatten(target: Value, from: string): readonly Value[] {
  return arrayTarget(target, from).flat();
}

/** `.find(value)` */
export function find(target: Value, from: string, value: Value): number {
  return arrayTarget(target, from).findIndex(equalTo(value));
}

/** `.find_by(query)` */
export function findBy(target: Value, from: string, query: Query): number {
  return arrayTarget(target, from).findIndex((element, index) => matches(element, index, from, query));
}

/** `.find_all(value)` */
export function findAll(target: Value, from: string, value: Value): readonly Value[] {
  return indexesOf(arrayTarget(target, from), equalTo(value));
}

/** `.find_all_by(query)` */
export function findAllBy(target: Value, from: string, query: Query): readonly Value[] {
  return indexesOf(arrayTarget(target, from), (element, index) => matches(element, index, from, query));
}

/** `.index(i)` of an array, or of bytes, where it returns the byte as a number. */
export function elementAt(target: Value, from: string, index: Value): Value {
  const wanted = bigArgument("method 'index'", "index", index);
  const position = Number(wanted);
  if (!isArray(target) && !(target instanceof Uint8Array)) throw wrongType(from, ["array"], target);
  const found = target.at(position);
  if (found !== undefined) return found;
  const place = wanted < 0n ? BigInt(target.length) + wanted : wanted;
  throw failedOn(from, `index '${place}' was out of bounds for array size: ${target.length}`);
}

/** `.slice(low, high)`: counts bytes in text. */
export function partOf(target: Value, from: string, low: Value, high?: Value): Value {
  const first = integerArgument("method 'slice'", "low", low);
  const last = high === undefined ? undefined : integerArgument("method 'slice'", "high", high);
  if (last !== undefined && last > 0 && first >= last) {
    const upper = bigArgument("method 'slice'", "high", high ?? null);
    throw new MappingError(
      `lower slice bound ${bigArgument("method 'slice'", "low", low)} must be lower than upper (${upper})`,
    );
  }
  const within = (length: number) => bounds(first, last, length, from, low);
  if (isArray(target)) return target.slice(...within(target.length));
  if (target instanceof Uint8Array) return target.subarray(...within(target.length));
  if (typeof target !== "string") throw wrongType(from, ["array", "string"], target);
  const bytes = encodeUtf8(target);
  if (bytes.length === target.length) return target.slice(...within(target.length));
  return decodeUtf8(bytes.subarray(...within(bytes.length)));
}

function bounds(
  low: number,
  high: number | undefined,
  length: number,
  from: string,
  written: Value,
): [number, number] {
  const upper = high === undefined ? length : Math.max(0, Math.min(high < 0 ? length + high : high, length));
  const lower = low < 0 ? Math.max(0, length + low) : low;
  if (lower <= upper) return [lower, upper];
  const limits = `upper bound (${upper}) and target length (${length})`;
  const exact = low < 0 ? lower : bigArgument("method 'slice'", "low", written);
  throw failedOn(from, `lower slice bound ${exact} must be lower than or equal to ${limits}`);
}

function mapElements(elements: readonly Value[], from: string, query: Query, part: string): readonly Value[] {
  const mapped: Value[] = [];
  for (const [index, element] of elements.entries()) {
    const value = processed(index, { from, part }, query, element);
    if (value !== deleted) mapped.push(value === nothing ? element : value);
  }
  return mapped;
}

/** Returns the result of a query. The message of a failure begins with the target's origin. */
export function runQuery(from: string, query: Query, value: Value): Value {
  try {
    return query(value);
  } catch (error) {
    throw failedInQuery(from, error);
  }
}

/** A type failure names both the target and the element. Any other failure names its own origin, or the query. */
function processed(
  place: number | string,
  { from, part }: { readonly from: string; readonly part: string },
  query: Query,
  value: Value | ObjectValue,
): Value {
  try {
    return query(value);
  } catch (error) {
    const prefix = error instanceof TypeFailure && from !== "" ? `${from}: ` : "";
    throw failedWithin(`${prefix}failed to process element ${place}`, failedInQuery(part, error));
  }
}

/** Like `tested`, with the error messages of the find methods. */
function matches(element: Value, index: number, from: string, query: Query): boolean {
  const prefix = from === "" ? "" : `${from}: `;
  let result: Value;
  try {
    result = query(element);
  } catch (error) {
    throw failedWithin(`${prefix}query returned an error for index ${index}`, error);
  }
  if (typeof result === "boolean") return result;
  const reason = `query returned a non-boolean value for index ${index}`;
  throw failedOn(from, `${reason}: ${wrongType("", ["bool"], result).message}`);
}

/** Returns the result of a test, which must be a bool. */
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
