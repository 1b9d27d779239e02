// Finds shapes that occur repeatedly in records, so that each can be written once.

import type { RecordSchemaFile } from "../schemas/portal/records.ts";

/** The schema of an object with known fields, within a record. */
export interface Nested {
  readonly [keyword: string]: unknown;
  readonly properties: Readonly<Record<string, object>>;
}

/** A shape that occurs repeatedly. */
export interface Shape {
  /** `MessageLimit` */
  readonly name: string;
  /** The record whose file declares it. */
  readonly record: string;
  readonly schema: Nested;
}

/** Names of shapes, by field, for fields whose own name is not suitable. */
const names: Readonly<Record<string, string>> = { from_client: "MessageRate", welcome_email: "EmailText" };

/** Returns the key of a shape, which ignores its description. */
export function keyOf({ description: _, ...schema }: Nested): string {
  return JSON.stringify(schema);
}

/** Whether it is the schema of an object with known fields. */
export function isNested(schema: unknown): schema is Nested {
  return typeof schema === "object" && schema !== null && "properties" in schema;
}

/** Returns the repeated shapes by key; a shape inside another one precedes it. */
export function findShapes(records: Readonly<Record<string, RecordSchemaFile>>): ReadonlyMap<string, Shape> {
  const once = new Map<string, Shape>();
  const repeated = new Map<string, Shape>();
  const visit = (schema: unknown, field: string, record: string): void => {
    if (typeof schema !== "object" || schema === null) return;
    if (isNested(schema)) {
      const key = keyOf(schema);
      const known = once.get(key);
      // Repetitions inside a repeated shape do not count.
      if (known !== undefined) repeated.set(key, known);
      if (known !== undefined) return;
      once.set(key, { name: names[field] ?? pascal(field), record, schema });
    }
    const { properties = {}, items, additionalProperties } = schema as Partial<Nested>;
    for (const [name, property] of Object.entries(properties)) visit(property, name, record);
    visit(items, field, record);
    visit(additionalProperties, field, record);
  };
  // If a record contains another one, the shape belongs to the smaller record.
  const bySize = Object.entries(records).sort(
    ([, one], [, other]) => JSON.stringify(one).length - JSON.stringify(other).length,
  );
  for (const [name, { properties }] of bySize) {
    for (const [field, property] of Object.entries(Object(properties))) visit(property, field, name);
  }
  return new Map([...repeated].sort(([one], [other]) => one.length - other.length));
}

/** Converts `message_limit` to `MessageLimit`. */
function pascal(name: string): string {
  return name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
