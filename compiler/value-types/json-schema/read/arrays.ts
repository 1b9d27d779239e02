// The keywords of a schema that speak of arrays.

import { type ArrayType, arrayOf, never, type Type, unknown } from "../../type.ts";
import { unionOf } from "../../union.ts";
import type { SchemaNode } from "./schema-node.ts";

/**
 * The arrays that a schema lets pass; `undefined` where it says nothing of them. Older drafts list the first
 * elements under `items` and say the others under `additionalItems`.
 */
export function readArray(schema: SchemaNode, read: (node: SchemaNode) => Type): ArrayType | undefined {
  const items = schema.get("items");
  const isList = items?.kind === "list";
  const first = (isList ? items : schema.get("prefixItems"))?.items();
  const others = isList ? schema.get("additionalItems") : items;
  if (first === undefined && others === undefined) return undefined;
  const longest = schema.get("maxItems")?.value;
  const places = typeof longest === "number" ? longest : Number.POSITIVE_INFINITY;
  const elements = (first ?? []).slice(0, places).map(read);
  const hasOthers = places > elements.length;
  const rest = others === undefined ? unknown : read(others);
  const array = arrayOf(unionOf([...elements, hasOthers ? rest : never]));
  return elements.length === 0 ? array : { ...array, first: elements };
}
