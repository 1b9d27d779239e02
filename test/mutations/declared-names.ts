// Finds the fields that a document's schemas declare. The checker can report a misspelt name only if the names are declared.

import { parse } from "yaml";
import type { CorrectDocument } from "./mutation.ts";

/** A property of any schema of a document. */
export interface Declared {
  /** The JSON types it may have; empty if the schema does not declare any. */
  readonly types: ReadonlySet<string>;
  /** Whether every schema that declares it requires it. */
  readonly required: boolean;
}

/** The texts in each enum or const of a document's schemas, and the properties, by name. */
export interface Declarations {
  readonly properties: ReadonlyMap<string, Declared>;
  readonly literals: ReadonlySet<string>;
}

const known = new WeakMap<CorrectDocument, Declarations>();

/** Returns the declarations of the schemas in a document's files. */
export function declarationsOf(document: CorrectDocument): Declarations {
  const before = known.get(document);
  if (before !== undefined) return before;
  const properties = new Map<string, Declared>();
  const literals = new Set<string>();
  for (const [path, text] of document.files) {
    if (/\.(yaml|json)$/.test(path)) collect(parse(text, { merge: true }), properties, literals);
  }
  const result = { properties, literals };
  known.set(document, result);
  return result;
}

function collect(value: unknown, properties: Map<string, Declared>, literals: Set<string>): void {
  if (Array.isArray(value)) {
    for (const each of value) collect(each, properties, literals);
    return;
  }
  if (!isObject(value)) return;
  for (const literal of [value.const, ...listOf(value.enum)]) {
    if (typeof literal === "string") literals.add(literal);
  }
  const required = new Set(listOf(value.required));
  for (const [name, schema] of Object.entries(isObject(value.properties) ? value.properties : {})) {
    const before = properties.get(name);
    properties.set(name, {
      types: new Set([...(before?.types ?? []), ...typesOf(schema)]),
      required: required.has(name) && before?.required !== false,
    });
  }
  for (const each of Object.values(value)) collect(each, properties, literals);
}

function typesOf(schema: unknown): readonly string[] {
  if (!isObject(schema)) return [];
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return types.filter((type) => typeof type === "string");
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
