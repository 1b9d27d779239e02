// `.split_by(…)`: splits texts, bytes and arrays at the places that a query accepts.

import { isArray, type Value } from "../message/value.ts";
import type { Query } from "./arrays.ts";
import { failedInQuery, failedWithin, wrongType } from "./failures.ts";
import { isTrue } from "./operators.ts";

/** `.split_by(predicate)`: the query receives characters, bytes as numbers, or elements. */
export function splitBy(target: Value, from: string, predicate: Query): readonly Value[] {
  const endsAs = (kind: string) => (value: Value, index: number) => {
    try {
      return isTrue(predicate(value));
    } catch (error) {
      throw failedInQuery(from, failedWithin(`predicate returned an error for ${kind} ${index}`, error));
    }
  };
  if (typeof target === "string") {
    return groups([...target], endsAs("character at position")).map((part) => part.join(""));
  }
  if (target instanceof Uint8Array) {
    return groups([...target], endsAs("byte at position")).map((part) => Uint8Array.from(part));
  }
  if (isArray(target)) return groups(target, endsAs("index"));
  throw wrongType(from, ["string", "array", "bytes"], target);
}

function groups<T extends Value>(
  elements: readonly T[],
  ends: (element: T, index: number) => boolean,
): readonly T[][] {
  const parts: T[][] = [[]];
  for (const [index, element] of elements.entries()) {
    if (ends(element, index)) parts.push([]);
    else parts.at(-1)?.push(element);
  }
  return parts;
}
