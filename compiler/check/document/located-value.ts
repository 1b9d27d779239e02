// Converts a located tree to the JSON that a validator checks, with a map from JSON pointers back to places. Nested
// components are left out: each is checked with its own schema. Environment references are replaced by their defaults;
// references without a default are not checked.

import { mentionsEnvironment } from "../../../schemas/environment-reference.ts";
import type { Schema } from "../../../schemas/schema.ts";
import type { Span } from "../../source/source.ts";
import type { EnvironmentField, FieldNode } from "../../trees/api.ts";
import { textOfDefaults } from "../../trees/api.ts";
import type { DocumentNode, Json, MapNode } from "../../trees/document.ts";
import { innerFields } from "../../trees/fields.ts";
import { isLeftOut, isSwitchedOff } from "../../trees/left-out.ts";
import { meantValue } from "../../trees/number-text.ts";
import { escapeKey } from "../../trees/pointer.ts";

/** The place of a value in the document. */
export interface ValuePlace {
  readonly node: DocumentNode;
  /** Its name in diagnostics: its key, `topics[1]`, or the name of the whole. */
  readonly name: string;
  /** The key of the value, or the source range that represents the whole value. */
  readonly nameSpan: Span;
  readonly schema: Schema;
  /** The environment reference that the value comes from, if any. */
  readonly environment: EnvironmentField | undefined;
}

/** The JSON to check, and the place of each part of it. */
export interface LocatedValue {
  readonly value: Json;
  /** Every checked value by its JSON pointer. */
  readonly places: ReadonlyMap<string, ValuePlace>;
  /** Pointers of values that are not known yet. */
  readonly unknown: ReadonlySet<string>;
}

interface Walk {
  readonly places: Map<string, ValuePlace>;
  readonly unknown: Set<string>;
  readonly environment: ReadonlyMap<Span, EnvironmentField>;
}

/** Returns the JSON of `place.node`. `read` is the result of the reader, which knows the environment references. */
export function locateValue(
  place: Omit<ValuePlace, "environment">,
  read: FieldNode | undefined,
): LocatedValue {
  const walk: Walk = { places: new Map(), unknown: new Set(), environment: collectEnvironment(read) };
  const { node, name, nameSpan, schema } = place;
  const value = toValue("", placeOf(node, name, nameSpan, schema, walk), walk);
  return { value, places: walk.places, unknown: walk.unknown };
}

function placeOf(
  node: DocumentNode,
  name: string,
  nameSpan: Span,
  schema: Schema,
  { environment }: Walk,
): ValuePlace {
  // Most values have no environment references, and the span of a scalar is created when something asks for it.
  return {
    node,
    name,
    nameSpan,
    schema,
    environment: environment.size === 0 ? undefined : environment.get(node.span),
  };
}

function toValue(pointer: string, place: ValuePlace, walk: Walk): Json {
  const { node, schema, environment } = place;
  walk.places.set(pointer, place);
  if (isTooLate(place)) {
    walk.unknown.add(pointer);
    return null;
  }
  // No variable can hold an object; its text is then a value of the wrong type.
  const isObject = schema.type === "object" && schema["x-shorthand"] === undefined;
  if (environment !== undefined && !isObject) return environmentValue(environment, pointer, walk);
  if (schema["x-component"] !== undefined && node.kind === "map") return {};
  switch (node.kind) {
    case "scalar": {
      const value = meantValue(node, schema);
      return typeof value === "bigint" ? Number(value) : value;
    }
    case "list":
      return listValue(pointer, place, walk);
    case "map":
      return mapValue(pointer, node, schema, walk);
  }
}

/** Whether a value that must be known when the gateway is built refers to the environment. */
export function isTooLate({ schema, node }: Pick<ValuePlace, "schema" | "node">): boolean {
  const isText = node.kind === "scalar" && typeof node.value === "string" && node.isContent !== true;
  return schema["x-fixed"] === true && isText && mentionsEnvironment(node.text.text);
}

function listValue(pointer: string, place: ValuePlace, walk: Walk): Json {
  const shorthand = place.schema["x-shorthand"];
  const property = shorthand === undefined ? undefined : place.schema.properties?.[shorthand];
  if (shorthand !== undefined && property !== undefined) {
    return { [shorthand]: toValue(`${pointer}/${shorthand}`, { ...place, schema: property }, walk) };
  }
  const { node, schema } = place;
  if (node.kind !== "list" || schema.items === undefined) return [];
  const { items } = schema;
  return node.items.map((item, index) => {
    const nameSpan = beginning(item);
    const name = `${place.name}[${index}]`;
    return toValue(`${pointer}/${index}`, placeOf(item, name, nameSpan, items, walk), walk);
  });
}

function beginning(node: DocumentNode): Span {
  return node.kind === "map" ? (node.entries[0]?.keySpan ?? node.span) : node.span;
}

/** Values under keys that are not in the schema are skipped: they may be large or circular. */
function mapValue(pointer: string, node: MapNode, schema: Schema, walk: Walk): Json {
  const rest = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
  const isOff = isSwitchedOff(node, schema);
  const { properties = {} } = schema;
  const entries: [string, Json][] = [];
  for (const entry of node.entries) {
    const { key, keySpan, value } = entry;
    if ((isOff && key !== "enabled") || isLeftOut(entry, schema, isOff)) continue;
    const own = Object.hasOwn(properties, key) ? properties[key] : rest;
    const at = `${pointer}/${escapeKey(key)}`;
    const json = own === undefined ? null : toValue(at, placeOf(value, key, keySpan, own, walk), walk);
    entries.push([key, json]);
  }
  return Object.fromEntries(entries);
}

function environmentValue(field: EnvironmentField, pointer: string, walk: Walk): Json {
  const text = textOfDefaults(field.parts);
  const value = text === undefined ? undefined : typedValue(field.type, text);
  if (value === undefined) walk.unknown.add(pointer);
  return value ?? null;
}

/** `undefined` if the text cannot be read as the type; the reader has reported it. */
function typedValue(type: EnvironmentField["type"], text: string): Json | undefined {
  switch (type) {
    case "string":
    case "duration":
      return text;
    case "boolean":
      return text === "true" ? true : text === "false" ? false : undefined;
    case "integer":
    case "number":
      return Number.isFinite(Number(text)) ? Number(text) : undefined;
    case "list":
      return text.split(",").map((item) => item.trim());
  }
}

/** Returns the environment references of a value by their source range. */
function collectEnvironment(read: FieldNode | undefined): ReadonlyMap<Span, EnvironmentField> {
  const found = new Map<Span, EnvironmentField>();
  const visit = (field: FieldNode): void => {
    if (field.kind === "Environment") found.set(field.span, field);
    innerFields(field).forEach(visit);
  };
  if (read !== undefined) visit(read);
  return found;
}
