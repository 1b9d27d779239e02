// `.split_by(…)`: parts of texts, bytes and arrays between what a query accepts.

import { isArray, type Value } from "../message/value.ts";
import type { Query } from "./arrays.ts";
import { wrongType } from "./failures.ts";
import { isTrue } from "./operators.ts";

/** `.split_by(predicate)`: the query sees characters, numbers of bytes, or elements. */
export function splitBy(target: Value, from: string, predicate: Query): readonly Value[] {
  const ends = (value: Value) => isTrue(predicate(value));
  if (typeof target === "string") return groups([...target], ends).map((part) => part.join(""));
  if (target instanceof Uint8Array) return groups([...target], ends).map((part) => Uint8Array.from(part));
  if (isArray(target)) return groups(target, ends);
  throw wrongType(from, ["string", "array", "bytes"], target);
}

function groups<T extends Value>(elements: readonly T[], ends: (element: T) => boolean): readonly T[][] {
  const parts: T[][] = [[]];
  for (const element of elements) {
    if (ends(element)) parts.push([]);
    else parts.at(-1)?.push(element);
  }
  return parts;
}
