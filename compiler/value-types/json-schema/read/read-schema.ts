// JSON Schemas in (draft 2020-12 and the dialect of OpenAPI 3.0, with its `discriminator`), types out. What a type cannot say
// (ranges, patterns, `not`) is left out, so that a type never lets less pass than its schema.

import { intersect } from "../../intersect.ts";
import {
  type ArrayType,
  anyObject,
  arrayOf,
  bool,
  float,
  integer,
  never,
  nullType,
  type RecursiveType,
  recursive,
  string,
  type Type,
  unknown,
} from "../../type.ts";
import { unionOf } from "../../union.ts";
import type { JsonSchema } from "../json-schema.ts";
import { typeOfNames, typeOfValue } from "./literals.ts";
import { readMentionedFields, readObject, withUnevaluated } from "./objects.ts";
import { plainNode } from "./plain-node.ts";
import { isFalse, type SchemaNode, textOf } from "./schema-node.ts";

/**
 * `properties` without `type` lets every text pass, to the letter, but its author means objects. Both are
 * kept until it is known whether a `type` stands elsewhere.
 */
interface Reading {
  /** All values that the letter of the schema lets pass. */
  readonly exact: Type;
  /** Those that are meant. */
  readonly meant: Type;
  /** Whether the schema says of what kind its values are; then both are the same. */
  readonly isTyped: boolean;
}

/** What says nothing. */
const anything: Reading = { exact: unknown, meant: unknown, isTyped: false };

/** What lets nothing pass. */
const impossible: Reading = typed(never);

const scalars: readonly Type[] = [nullType, bool, integer, float, string];

/** Exactly these values. */
function typed(type: Type): Reading {
  return { exact: type, meant: type, isTyped: true };
}

/** Objects are like this; of other values nothing is said. */
function objectsOnly(object: Type): Reading {
  return { exact: unionOf([object, ...scalars, arrayOf(unknown)]), meant: object, isTyped: false };
}

/** Arrays are like this; of other values nothing is said. */
function arraysOnly(array: Type): Reading {
  return { exact: unionOf([array, ...scalars, anyObject]), meant: array, isTyped: false };
}

/** Values of which all of these are true. */
function allOf(readings: Iterable<Reading>): Reading {
  let whole = anything;
  for (const reading of readings) whole = both(whole, reading);
  return whole;
}

/** Values of which at least one of these is true. */
function anyOf(readings: readonly Reading[]): Reading {
  return {
    exact: unionOf(readings.map(({ exact }) => exact)),
    meant: unionOf(readings.map(({ meant }) => meant)),
    isTyped: readings.every(({ isTyped }) => isTyped),
  };
}

/** The same reading with its types changed alike. */
function mapReading(reading: Reading, change: (type: Type) => Type): Reading {
  const exact = change(reading.exact);
  const meant = reading.meant === reading.exact ? exact : change(reading.meant);
  return { exact, meant, isTyped: reading.isTyped };
}

function both(a: Reading, b: Reading): Reading {
  if (a === anything) return b;
  if (b === anything) return a;
  const exact = intersect(a.exact, b.exact);
  if (a.isTyped || b.isTyped) return typed(exact);
  return { exact, meant: meantByBoth(a, b), isTyped: false };
}

/** Where one is meant of objects and the other of arrays, either is meant. */
function meantByBoth(a: Reading, b: Reading): Type {
  const meant = intersect(a.meant, b.meant);
  if (meant.kind !== "Never") return meant;
  return unionOf([intersect(a.meant, b.exact), intersect(a.exact, b.meant)]);
}

/** Reads schemas; those that several refer to are read once. */
interface SchemaReader {
  /** The type of the values that a schema means. */
  readonly read: (schema: SchemaNode) => Type;
}

/** The type of a schema given as plain data, by itself. */
export function readJsonSchema(schema: JsonSchema): Type {
  return createSchemaReader().read(plainNode(schema));
}

/** What is known of a schema before, while and after it is read. */
interface Entry {
  reading?: Reading;
  /** There once the schema was met inside itself, or put off. */
  recursive?: RecursiveType;
  isBeingRead: boolean;
}

/**
 * So many schemas inside each other are read at once; what further ones refer to is read on demand. Large
 * descriptions refer from schema to schema thousands of times in a row, which no call stack holds, and a stream
 * looks into few of them.
 */
const deepestRead = 48;

/** Only schemas that are to be true at the same place (`allOf`) come so deep: they cannot be put off. */
const deepestAtAll = 400;

/** A reader of the schemas of one document, or of several. */
export function createSchemaReader(): SchemaReader {
  const entries = new Map<object, Entry>();
  let depth = 0;
  return { read: (schema) => readSchema(schema, "schema").meant };

  /** A schema where a value is described. Where it contains itself, it has a name. */
  function readValue(schema: SchemaNode): Type {
    const reference = textOf(schema, "$ref");
    const target = isOnlyReference(schema) ? schema.target("$ref") : undefined;
    const at = target ?? schema;
    const name = target === undefined ? "schema" : lastPart(reference ?? "");
    const entry = entryOf(at);
    if (target !== undefined && depth >= deepestRead && entry.reading === undefined) {
      return recursiveOf(entry, at, name);
    }
    const reading = readSchema(at, name);
    return entry.recursive ?? reading.meant;
  }

  function readSchema(schema: SchemaNode, name: string): Reading {
    const entry = entryOf(schema);
    if (entry.reading !== undefined) return entry.reading;
    if (entry.isBeingRead) return typed(recursiveOf(entry, schema, name));
    if (depth >= deepestAtAll) return anything;
    entry.isBeingRead = true;
    depth++;
    entry.reading = readKeywords(schema);
    depth--;
    return entry.reading;
  }

  function entryOf(schema: SchemaNode): Entry {
    const known = entries.get(schema.identity);
    if (known !== undefined) return known;
    const entry: Entry = { isBeingRead: false };
    entries.set(schema.identity, entry);
    return entry;
  }

  /** The schema by its name, read when the name is asked for, if not before. */
  function recursiveOf(entry: Entry, schema: SchemaNode, name: string): RecursiveType {
    entry.recursive ??= recursive(name, () => readSchema(schema, name).meant);
    return entry.recursive;
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

/**
 * The arrays that a schema lets pass; `undefined` where it says nothing of them. Older drafts list the first
 * elements under `items` and say the others under `additionalItems`.
 */
function readArray(schema: SchemaNode, read: (node: SchemaNode) => Type): ArrayType | undefined {
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

/**
 * What the discriminator of `schema` says of one of its alternatives; `undefined` where it says nothing. Without
 * an entry in `mapping` nothing is: documents differ in whether the schema's name is then meant to the letter.
 */
function readDiscriminator(schema: SchemaNode, alternative: SchemaNode): Reading | undefined {
  const discriminator = schema.get("discriminator");
  const name = discriminator && textOf(discriminator, "propertyName");
  const reference = textOf(alternative, "$ref");
  if (name === undefined || reference === undefined) return undefined;
  const schemaName = lastPart(reference);
  const keys = (discriminator?.get("mapping")?.entries() ?? [])
    .filter(({ node }) => node.kind === "scalar" && (node.value === reference || node.value === schemaName))
    .map((entry) => entry.name);
  if (keys.length === 0) return undefined;
  // The name of the schema remains allowed beside the names mapped to it.
  const values = [...keys, schemaName].map((value) => ({ kind: "String", value }) as const);
  const field = { type: unionOf(values), required: false };
  return objectsOnly({ kind: "Object", fields: new Map([[name, field]]), rest: { kind: "Unknown" } });
}

/** The name that a reference ends in, by which people know the schema. */
function lastPart(reference: string): string {
  const whole = reference.endsWith("/") ? reference.slice(0, -1) : reference;
  const name = whole.slice(Math.max(whole.lastIndexOf("/"), whole.lastIndexOf("#")) + 1);
  return name === "" ? "schema" : name.replaceAll("~1", "/").replaceAll("~0", "~");
}
