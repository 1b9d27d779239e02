// Traverses a configured value together with its schema. Components inside the value are left out: each has a schema of
// its own.

import type { Schema } from "../../../schemas/schema.ts";
import type { Span } from "../../source/source.ts";
import type { FieldNode, ObjectField } from "../../trees/api.ts";

/** A configured value with its schema and place. */
export interface SchemedValue {
  /** The key of the value; a text in a list has the key of the list. */
  readonly name: string;
  readonly nameSpan: Span;
  readonly value: FieldNode;
  readonly schema: Schema;
  /** The object that has the value as a field, for rules about sibling fields. */
  readonly owner?: { readonly value: ObjectField; readonly schema: Schema } | undefined;
}

/** Returns `whole` and every value within it, outer values first, in document order. */
export function valuesWithin(whole: SchemedValue): readonly SchemedValue[] {
  const found: SchemedValue[] = [];
  addValues(whole, found);
  return found;
}

function addValues(whole: SchemedValue, found: SchemedValue[]): void {
  found.push(whole);
  const { value, schema } = whole;
  if (value.kind === "List" && schema.items !== undefined) {
    for (const [index, item] of value.items.entries())
      addValues({ ...whole, ...placeOf(item, index, whole), schema: schema.items }, found);
  }
  if (value.kind !== "Object") return;
  const owner = { value, schema };
  for (const { name, nameSpan, value: inner } of value.fields) {
    const own = propertyOf(schema, name);
    if (own !== undefined) addValues({ name, nameSpan, value: inner, schema: own, owner }, found);
  }
}

/** An object in a list has a place of its own, at its first key. */
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
