// JSON Schemas in (draft 2020-12 and the dialect of OpenAPI 3.0), types out. What a type cannot say (ranges,
// patterns, `not`) is left out, so that a type never lets less pass than its schema.

import { recursive } from "../../recursive.ts";
import { nullType, type RecursiveType, type Type, unknown } from "../../type.ts";
import { unionOf } from "../../union.ts";
import type { JsonSchema } from "../json-schema.ts";
import { readArray } from "./arrays.ts";
import { lastPart, readDiscriminator } from "./discriminator.ts";
import { typeOfNames, typeOfValue } from "./literals.ts";
import { readMentionedFields, readObject, withUnevaluated } from "./objects.ts";
import { plainNode } from "./plain-node.ts";
import {
  allOf,
  anyOf,
  anything,
  arraysOnly,
  impossible,
  mapReading,
  objectsOnly,
  type Reading,
  typed,
} from "./reading.ts";
import { isFalse, type SchemaNode, textOf } from "./schema-node.ts";

/** Reads schemas; those that several refer to are read once. */
export interface SchemaReader {
  /** The type of the values that a schema means. */
  readonly read: (schema: SchemaNode) => Type;
}

/** The type of a schema given as plain data, by itself. */
export function readJsonSchema(schema: JsonSchema): Type {
  return createSchemaReader().read(plainNode(schema));
}

/** What is known of a schema while and after it is read. */
interface Entry {
  reading?: Reading;
  /** There once the schema was met inside itself. */
  recursive?: RecursiveType;
}

/** A reader of the schemas of one document, or of several. */
export function createSchemaReader(): SchemaReader {
  const entries = new Map<object, Entry>();
  return { read: (schema) => readSchema(schema, "schema").meant };

  /** A schema where a value is described. Where it contains itself, it has a name. */
  function readValue(schema: SchemaNode): Type {
    const reference = textOf(schema, "$ref");
    const target = isOnlyReference(schema) ? schema.target("$ref") : undefined;
    const at = target ?? schema;
    const reading = readSchema(at, target === undefined ? "schema" : lastPart(reference ?? ""));
    return entries.get(at.identity)?.recursive ?? reading.meant;
  }

  function readSchema(schema: SchemaNode, name: string): Reading {
    const known = entries.get(schema.identity);
    if (known?.reading !== undefined) return known.reading;
    if (known !== undefined) {
      known.recursive ??= recursive(name, () => known.reading?.meant ?? unknown);
      return typed(known.recursive);
    }
    const entry: Entry = {};
    entries.set(schema.identity, entry);
    entry.reading = readKeywords(schema);
    return entry.reading;
  }

  function readKeywords(schema: SchemaNode): Reading {
    if (isFalse(schema)) return impossible;
    const whole = allOf([
      ...readOwn(schema),
      ...readReferences(schema),
      ...(schema.get("allOf")?.items() ?? []).map((part) => readSchema(part, "schema")),
      readAlternatives(schema, "anyOf"),
      readAlternatives(schema, "oneOf"),
    ]);
    return readNullable(schema, readUnevaluated(schema, whole));
  }

  function readOwn(schema: SchemaNode): readonly Reading[] {
    const type = schema.get("type");
    const values = schema.get("enum")?.items();
    const constant = schema.get("const");
    const object = readObject(schema, readValue);
    const array = readArray(schema, readValue);
    const mentioned = readMentionedFields(schema);
    return [
      type === undefined ? anything : typedUnlessUnknown(typeOfNames(type.value)),
      values === undefined
        ? anything
        : typedUnlessUnknown(unionOf(values.map(({ value }) => typeOfValue(value)))),
      constant === undefined ? anything : typedUnlessUnknown(typeOfValue(constant.value)),
      object === undefined ? anything : objectsOnly(object),
      array === undefined ? anything : arraysOnly(array),
      mentioned === undefined ? anything : objectsOnly(mentioned),
    ];
  }

  function readReferences(schema: SchemaNode): readonly Reading[] {
    return (["$ref", "$dynamicRef"] as const).map((keyword) => {
      const reference = textOf(schema, keyword);
      const target = reference === undefined ? undefined : schema.target(keyword);
      return target === undefined ? anything : readSchema(target, lastPart(reference ?? ""));
    });
  }

  function readAlternatives(schema: SchemaNode, keyword: "anyOf" | "oneOf"): Reading {
    const alternatives = schema.get(keyword)?.items() ?? [];
    if (alternatives.length === 0) return anything;
    return anyOf(
      alternatives.map((alternative) => {
        const reading = readSchema(alternative, "schema");
        const discriminated = readDiscriminator(schema, alternative);
        return discriminated === undefined ? reading : allOf([reading, discriminated]);
      }),
    );
  }

  function readUnevaluated(schema: SchemaNode, whole: Reading): Reading {
    const unevaluated = schema.get("unevaluatedProperties");
    if (unevaluated === undefined) return whole;
    const rest = readValue(unevaluated);
    // Where nothing else speaks of objects, this does.
    const spoken = allOf([whole, objectsOnly({ kind: "Object", fields: new Map(), rest: unknown })]);
    return mapReading(spoken, (type) => withUnevaluated(schema, type, rest));
  }
}

/** OpenAPI 3.0's way to allow null; where it has no meaning it only lets more pass. */
function readNullable(schema: SchemaNode, reading: Reading): Reading {
  if (schema.get("nullable")?.value !== true) return reading;
  return mapReading(reading, (type) => unionOf([type, nullType]));
}

function typedUnlessUnknown(type: Type): Reading {
  return type.kind === "Unknown" ? anything : typed(type);
}

/** Whether a schema says nothing of values but where to look. */
function isOnlyReference(schema: SchemaNode): boolean {
  return schema.entries().every(({ name }) => name === "$ref" || annotations.test(name));
}

const annotations =
  /^(?:\$comment|default|deprecated|description|examples?|externalDocs|readOnly|summary|title|writeOnly|x-.*|xml)$/;
