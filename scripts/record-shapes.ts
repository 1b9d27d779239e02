// Shapes that stand at several places of the portal's records, so that each can be written once.

import type { RecordSchemaFile } from "../schemas/portal/records.ts";

/** The schema of an object with known fields, within a record. */
export interface Nested {
  readonly [keyword: string]: unknown;
  readonly properties: Readonly<Record<string, object>>;
}

/** A shape that stands at several places. */
export interface Shape {
  /** `MessageLimit` */
  readonly name: string;
  /** The record whose file has it. */
  readonly record: string;
  readonly schema: Nested;
}

/** What shapes are called that are named after none of their places. */
const names: Readonly<Record<string, string>> = { from_client: "MessageRate", welcome_email: "EmailText" };

/** What two places of one shape have in common: all but what is said about them. */
export function keyOf({ description: _, ...schema }: Nested): string {
  return JSON.stringify(schema);
}

/** Whether it is the schema of an object with known fields. */
export function isNested(schema: unknown): schema is Nested {
  return typeof schema === "object" && schema !== null && "properties" in schema;
}

/** The shapes that stand at several places, by their keys; one within another stands before it. */
export function findShapes(records: Readonly<Record<string, RecordSchemaFile>>): ReadonlyMap<string, Shape> {
  const once = new Map<string, Shape>();
  const repeated = new Map<string, Shape>();
  const visit = (schema: unknown, field: string, record: string): void => {
    if (typeof schema !== "object" || schema === null) return;
    if (isNested(schema)) {
      const key = keyOf(schema);
      const known = once.get(key);
      // What lies within a shape is not repeated by repeating the shape.
      if (known !== undefined) repeated.set(key, known);
      if (known !== undefined) return;
      once.set(key, { name: names[field] ?? pascal(field), record, schema });
    }
    const { properties = {}, items, additionalProperties } = schema as Partial<Nested>;
    for (const [name, property] of Object.entries(properties)) visit(property, name, record);
    visit(items, field, record);
    visit(additionalProperties, field, record);
  };
  // A record that has another one in it is the larger one; the shape belongs to the smaller.
  const bySize = Object.entries(records).sort(
    ([, one], [, other]) => JSON.stringify(one).length - JSON.stringify(other).length,
  );
  for (const [name, { properties }] of bySize) {
    for (const [field, property] of Object.entries(Object(properties))) visit(property, field, name);
  }
  return new Map([...repeated].sort(([one], [other]) => one.length - other.length));
}

/** `message_limit` as `MessageLimit`. */
function pascal(name: string): string {
  return name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
