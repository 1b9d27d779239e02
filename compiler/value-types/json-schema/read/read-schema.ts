// Reads JSON Schemas (draft 2020-12 and the dialect of OpenAPI 3.0, with its `discriminator`) as types. Ignores what a
// type cannot express (ranges, patterns, `not`), so that a type never accepts fewer values than its schema.

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
import { isAnnotation, type JsonSchema } from "../json-schema.ts";
import { typeOfNames, typeOfValue } from "./literals.ts";
import { readMentionedFields, readObject, withUnevaluated } from "./objects.ts";
import { plainNode } from "./plain-node.ts";
import { isFalse, type SchemaNode, textOf } from "./schema-node.ts";

/**
 * `properties` without `type` formally accepts every text, although its author means objects. Both readings are kept
 * until it is known whether another schema specifies a `type`.
 */
interface Reading {
  /** All values that the schema formally accepts. */
  readonly exact: Type;
  /** The values that the author means. */
  readonly meant: Type;
  /** Whether the schema specifies the kind of its values; then both readings are the same. */
  readonly isTyped: boolean;
}

/** The reading of a schema without restrictions. */
const anything: Reading = { exact: unknown, meant: unknown, isTyped: false };

/** The reading of a schema that accepts no value. */
const impossible: Reading = typed(never);

const scalars: readonly Type[] = [nullType, bool, integer, float, string];

/** Returns a reading for exactly these values. */
function typed(type: Type): Reading {
  return { exact: type, meant: type, isTyped: true };
}

/** Returns a reading that restricts objects only. */
function objectsOnly(object: Type): Reading {
  return { exact: unionOf([object, ...scalars, arrayOf(unknown)]), meant: object, isTyped: false };
}

/** Returns a reading that restricts arrays only. */
function arraysOnly(array: Type): Reading {
  return { exact: unionOf([array, ...scalars, anyObject]), meant: array, isTyped: false };
}

/** The number of readings up to which they are joined one by one: each step copies the fields of those before. */
const fewReadings = 64;

/** Returns the values that match all readings. */
function allOf(readings: Iterable<Reading>): Reading {
  const all = [...readings];
  const middle = all.length >> 1;
  if (all.length > fewReadings) return both(allOf(all.slice(0, middle)), allOf(all.slice(middle)));
  return all.reduce(both, anything);
}

/** Returns the values that match at least one reading. */
function anyOf(readings: readonly Reading[]): Reading {
  return {
    exact: unionOf(readings.map(({ exact }) => exact)),
    meant: unionOf(readings.map(({ meant }) => meant)),
    isTyped: readings.every(({ isTyped }) => isTyped),
  };
}

/** Applies the same change to both types of a reading. */
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

/** Returns the meant values of both. If one means objects and the other arrays, either is meant. */
function meantByBoth(a: Reading, b: Reading): Type {
  const meant = intersect(a.meant, b.meant);
  if (meant.kind !== "Never") return meant;
  return unionOf([intersect(a.meant, b.exact), intersect(a.exact, b.meant)]);
}

/** Reads schemas. A schema that several others refer to is read once. */
interface SchemaReader {
  /** Returns the type of the values that a schema means. */
  readonly read: (schema: SchemaNode) => Type;
}

/** Returns the type of a single schema given as plain data. */
export function readJsonSchema(schema: JsonSchema): Type {
  return createSchemaReader().read(plainNode(schema));
}

/** The state of a schema before, while and after it is read. */
interface Entry {
  reading?: Reading;
  /** Set if the schema occurs inside itself, or if reading it was postponed. */
  recursive?: RecursiveType;
  isBeingRead: boolean;
}

/**
 * The maximum nesting of schemas that are read immediately. Deeper references are read on demand: large descriptions
 * contain chains of thousands of references, which would overflow the call stack, and a stream needs few of them.
 */
const deepestRead = 48;

/** The maximum nesting of schemas that apply at the same place (`allOf`), which cannot be postponed. */
const deepestAtAll = 400;

/** Returns a reader for the schemas of one document, or of several. */
export function createSchemaReader(): SchemaReader {
  const entries = new Map<object, Entry>();
  let depth = 0;
  return {
    read(schema) {
      const { at, name } = targetOf(schema);
      return readSchema(at, name).meant;
    },
  };

  /** Returns the schema that is read for a schema: if it is only a reference, its target, which is read once. */
  function targetOf(schema: SchemaNode) {
    const target = isOnlyReference(schema) ? schema.target("$ref") : undefined;
    if (target === undefined) return { at: schema, name: "schema", isTarget: false };
    return { at: target, name: lastPart(textOf(schema, "$ref") ?? ""), isTarget: true };
  }

  /** Reads the schema of a value. A schema that contains itself becomes a named type. */
  function readValue(schema: SchemaNode): Type {
    const { at, name, isTarget } = targetOf(schema);
    const entry = entryOf(at);
    if (isTarget && depth >= deepestRead && entry.reading === undefined) {
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

  /** Returns the schema as a named type, which is read on demand if it was not read before. */
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
      // An empty list, or a value that is no list, is reported.
      values === undefined || values.length === 0
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
    // If no other keyword applies to objects, this one does.
    const spoken = allOf([whole, objectsOnly({ kind: "Object", fields: new Map(), rest: unknown })]);
    return mapReading(spoken, (type) => withUnevaluated(schema, type, rest));
  }
}

/** Reads `nullable` of OpenAPI 3.0. In other dialects this only makes the type wider. */
function readNullable(schema: SchemaNode, reading: Reading): Reading {
  if (schema.get("nullable")?.value !== true) return reading;
  return mapReading(reading, (type) => unionOf([type, nullType]));
}

function typedUnlessUnknown(type: Type): Reading {
  return type.kind === "Unknown" ? anything : typed(type);
}

/** Whether a schema consists only of a reference and annotations. */
function isOnlyReference(schema: SchemaNode): boolean {
  return schema.entries().every(({ name }) => name === "$ref" || isAnnotation(name));
}

/**
 * Returns the arrays that a schema accepts; `undefined` if it has no keywords for arrays. Older drafts list the first
 * elements under `items` and describe the others under `additionalItems`.
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
 * Returns the restriction that the discriminator of `schema` imposes on one of its alternatives; `undefined` if there
 * is none. Without an entry in `mapping` it imposes none: documents differ in whether the exact schema name is then
 * meant.
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
  // The name of the schema remains allowed in addition to the names that are mapped to it.
  const values = [...keys, schemaName].map((value) => ({ kind: "String", value }) as const);
  const field = { type: unionOf(values), required: false };
  return objectsOnly({ kind: "Object", fields: new Map([[name, field]]), rest: { kind: "Unknown" } });
}

/** Returns the last part of a reference, which people use as the schema's name. */
function lastPart(reference: string): string {
  const whole = reference.endsWith("/") ? reference.slice(0, -1) : reference;
  const name = whole.slice(Math.max(whole.lastIndexOf("/"), whole.lastIndexOf("#")) + 1);
  return name === "" ? "schema" : name.replaceAll("~1", "/").replaceAll("~0", "~");
}
