// Arrays against what is wanted: by their elements, as though they had some.

import type { Alternative } from "../alternatives.ts";
import type { Mismatch } from "../mismatch.ts";
import type { ArrayType } from "../type.ts";
import { nearest, type TypeComparer, under } from "./compare.ts";

/** Why no option takes `found`; nothing where one does. */
export function compareArrays(
  found: ArrayType,
  options: readonly Alternative[],
  compare: TypeComparer,
): readonly Mismatch[] {
  const arrays = options.filter((option) => option.kind === "Array");
  if (arrays.length === 0) return [{ path: [], problem: "type", certain: true, found }];
  return nearest(arrays.map((option) => under("[]", compare(found.items, option.items))));
}
