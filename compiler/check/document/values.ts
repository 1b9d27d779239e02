// A configured value and its schema, to every value within it with the schema of its own. Components inside
// are left out: each has a schema of its own.

import type { Schema } from "../../../schemas/schema.ts";
import type { Span } from "../../source/source.ts";
import type { FieldNode, ObjectField } from "../../trees/api.ts";

/** A configured value in its place. */
export interface SchemedValue {
  /** The key it stands under; a text in a list has that of the list. */
  readonly name: string;
  readonly nameSpan: Span;
  readonly value: FieldNode;
  readonly schema: Schema;
  /** The object that has it as a field, for rules about neighbours. */
  readonly owner?: { readonly value: ObjectField; readonly schema: Schema } | undefined;
}

/** `whole` itself and every value within it, outer ones first, in the order written. */
export function* valuesWithin(whole: SchemedValue): Iterable<SchemedValue> {
  yield whole;
  const { value, schema } = whole;
  if (value.kind === "List" && schema.items !== undefined) {
    for (const [index, item] of value.items.entries())
      yield* valuesWithin({ ...whole, ...placeOf(item, index, whole), schema: schema.items });
  }
  if (value.kind !== "Object") return;
  const owner = { value, schema };
  for (const field of value.fields) {
    const own = propertyOf(schema, field.name);
    if (own !== undefined) yield* valuesWithin({ ...field, schema: own, owner });
  }
}

/** An object in a list is its own place, at its first key. */
function placeOf(item: FieldNode, index: number, { name, nameSpan }: SchemedValue) {
  const first = item.kind === "Object" ? item.fields[0]?.nameSpan : undefined;
  return first === undefined
    ? { value: item, name, nameSpan }
    : { value: item, name: `${name}[${index}]`, nameSpan: first };
}

function propertyOf(
  { properties = {}, additionalProperties: rest }: Schema,
  name: string,
): Schema | undefined {
  if (Object.hasOwn(properties, name)) return properties[name];
  return typeof rest === "object" ? rest : undefined;
}
