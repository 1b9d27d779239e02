// Order and uniqueness of the elements of an array.

import type { Value } from "../message/value.ts";
import { compareUtf8 } from "../text/utf8.ts";
import { arrayTarget } from "./arguments.ts";
import type { Query } from "./arrays.ts";
import { failedOn, wrongType } from "./failures.ts";
import { numeric, toFloat } from "./numeric.ts";
import { isTrue } from "./operators.ts";
import { textOf } from "./text.ts";

/** `.sort(compare)`: numbers by value, texts by bytes; or `compare` says of `left` that it goes first. */
export function sort(target: Value, from: string, compare?: Query): readonly Value[] {
  const elements = arrayTarget(target, from);
  if (compare === undefined) return sortByKeys(elements, elements, from);
  return elements.toSorted((left, right) => {
    if (isTrue(compare({ left, right }))) return -1;
    return isTrue(compare({ left: right, right: left })) ? 1 : 0;
  });
}

/** `.sort_by(query)` */
export function sortBy(target: Value, from: string, query: Query): readonly Value[] {
  const elements = arrayTarget(target, from);
  return sortByKeys(elements, elements.map(query), from);
}

/** `.unique(emit)`: of numbers, or texts, that are equal the first one stays. */
export function unique(target: Value, from: string, emit?: Query): readonly Value[] {
  const numbers = new Set<number>();
  const texts = new Set<string>();
  return arrayTarget(target, from).filter((element, index) => {
    const key = emit === undefined ? element : emit(element);
    const number = numeric(key);
    if (number !== undefined) return isNew(numbers, toFloat(number));
    if (typeof key === "string" || key instanceof Uint8Array) return isNew(texts, textOf(key));
    throw failedOn(from, `index ${index}: ${wrongType("", ["string", "number"], key).message}`);
  });
}

function sortByKeys(elements: readonly Value[], keys: readonly Value[], from: string): readonly Value[] {
  const order = [...elements.keys()];
  order.sort((left, right) => compareKeys(keys, left, right, from));
  return order.map((index) => elements[index] ?? null);
}

function compareKeys(keys: readonly Value[], left: number, right: number, from: string): number {
  const [a = null, b = null] = [keys[left], keys[right]];
  const number = numeric(a);
  if (number === undefined && typeof a !== "string" && !(a instanceof Uint8Array)) {
    throw failedOn(from, wrongType(`sort element ${left}`, ["number", "string"], a).message);
  }
  if (number !== undefined) {
    const other = numeric(b);
    if (other !== undefined) return toFloat(number) - toFloat(other);
    throw failedOn(from, wrongType(`sort element ${right}`, ["number"], b).message);
  }
  if (typeof b === "string" || b instanceof Uint8Array) return compareUtf8(textOf(a), textOf(b));
  throw failedOn(from, wrongType(`sort element ${right}`, ["string"], b).message);
}

function isNew<T>(seen: Set<T>, key: T): boolean {
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}
