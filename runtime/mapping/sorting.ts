// Sorts arrays and removes duplicates.

import { MappingError } from "../errors.ts";
import { Timestamp, type Value } from "../message/value.ts";
import { compareUtf8 } from "../text/utf8.ts";
import { arrayTarget } from "./arguments.ts";
import type { Query } from "./arrays.ts";
import { failedInQuery, failedOn, failedWithin, wrongType } from "./failures.ts";
import type { TypeName } from "./kinds.ts";
import { isNumber, numeric, toFloat } from "./numeric.ts";
import { textOf } from "./text.ts";

/**
 * `.sort(compare)`: sorts numbers by value and texts by bytes, or by `compare`, which tells whether `left` goes first.
 */
export function sort(target: Value, from: string, compare?: Query): readonly Value[] {
  const elements = arrayTarget(target, from);
  if (compare === undefined) return sortedByKeys(elements, (each) => each, "sort");
  return sorted(elements, (left, right) => {
    const isLess = compare({ left, right });
    if (typeof isLess !== "boolean") throw wrongType("sort argument", ["bool"], isLess);
    return isLess;
  });
}

/** `.sort_by(query)` */
export function sortBy(target: Value, from: string, query: Query, part = ""): readonly Value[] {
  return sortedByKeys(arrayTarget(target, from), query, "sort_by", part);
}

/** Whether `left`, currently at index `atLeft`, goes before `right`, currently at index `atRight`. */
type IsLess = (left: Value, right: Value, atLeft: number, atRight: number) => boolean;

/** Up to this size, the reference engine uses insertion sort. Inconsistent comparisons make that visible. */
const byInsertion = 12;

function sorted(elements: readonly Value[], isLess: IsLess): readonly Value[] {
  if (elements.length > byInsertion) {
    const places = new Map(elements.map((element, index) => [element, index]));
    const placeOf = (element: Value) => places.get(element) ?? 0;
    return elements.toSorted((left, right) => {
      if (isLess(left, right, placeOf(left), placeOf(right))) return -1;
      return isLess(right, left, placeOf(right), placeOf(left)) ? 1 : 0;
    });
  }
  const values = [...elements];
  for (let end = 1; end < values.length; end++) {
    for (let at = end; at > 0; at--) {
      const [left = null, right = null] = [values[at - 1], values[at]];
      if (!isLess(right, left, at, at - 1)) break;
      values[at - 1] = right;
      values[at] = left;
    }
  }
  return values;
}

function sortedByKeys(elements: readonly Value[], keyOf: Query, name: string, part = ""): readonly Value[] {
  const misplaced = (at: number, expected: readonly TypeName[], value: Value) =>
    new MappingError(`${name} element ${at}: ${wrongType(part, expected, value).message}`);
  return sorted(elements, (left, right, atLeft, atRight) => {
    const [a, b] = [keyOf(left), keyOf(right)];
    const number = numeric(a);
    if (number !== undefined) {
      const other = numeric(b);
      if (other === undefined) throw misplaced(atRight, ["number"], b);
      return toFloat(number) < toFloat(other);
    }
    if (typeof a !== "string" && !(a instanceof Uint8Array)) {
      throw misplaced(atLeft, ["number", "string"], a);
    }
    if (typeof b !== "string" && !(b instanceof Uint8Array)) throw misplaced(atRight, ["string"], b);
    return compareUtf8(textOf(a), textOf(b)) < 0;
  });
}

/** `.unique(emit)`: keeps the first of equal numbers or texts. A timestamp counts as its text. */
export function unique(target: Value, from: string, emit?: Query): readonly Value[] {
  const numbers = new Set<number>();
  const texts = new Set<string>();
  return arrayTarget(target, from).filter((element, index) => {
    const key = emit === undefined ? element : emitted(emit, element, index, from);
    const number = numeric(key);
    if (number !== undefined) return isNew(numbers, toFloat(number));
    // A number beyond the range of float64 counts by its spelling.
    if (typeof key === "string" || key instanceof Uint8Array || key instanceof Timestamp || isNumber(key))
      return isNew(texts, textOf(key));
    throw failedOn(from, `index ${index}: ${wrongType("", ["string", "number"], key).message}`);
  });
}

function emitted(emit: Query, element: Value, index: number, from: string): Value {
  try {
    return emit(element);
  } catch (error) {
    throw failedInQuery(from, failedWithin(`index ${index}`, error));
  }
}

function isNew<T>(seen: Set<T>, key: T): boolean {
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}
