// The types that inference remembered, and those it did not write down because they follow from them.

import type { Expression } from "../../trees/mapping.ts";
import { fieldOf } from "../../value-types/fields.ts";
import { type Type, unknown } from "../../value-types/type.ts";

/**
 * The type of an expression of a script whose `types` were inferred. Of a chain of fields, `this.a.b.c`, inference
 * remembers the whole and the beginning; what stands between is read from that. `Unknown` where nothing was inferred.
 */
export function knownType(node: Expression, types: ReadonlyMap<Expression, Type>): Type {
  const found = types.get(node);
  if (found !== undefined) return found;
  if (node.kind === "FieldAccess") return fieldOf(knownType(node.receiver, types), node.name.text).type;
  return node.kind === "Group" ? knownType(node.inner, types) : unknown;
}
