// Collects the messages of an API, each once, and the schemas that they share.

import type { Json } from "../trees/document.ts";
import type { JsonSchema } from "../value-types/json-schema/json-schema.ts";
import { isRecord } from "../value-types/records.ts";
import {
  type AsyncApiReference,
  type Components,
  createKeys,
  type MessageDescription,
  referTo,
} from "./document.ts";

// The schemas are converted from JSON Schema 2020-12 and the dialects of OpenAPI to AsyncAPI's own dialect, which is
// based on draft 07, so that tools for AsyncAPI need no other dialect.
type Keywords = Readonly<Record<string, unknown>>;

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const places: Readonly<Record<string, "schema" | "list" | "map">> = {
  ...keyed("schema", ["additionalItems", "additionalProperties", "contains", "else", "if", "items", "not"]),
  ...keyed("schema", ["propertyNames", "then"]),
  ...keyed("list", ["allOf", "anyOf", "oneOf"]),
  ...keyed("map", ["patternProperties", "properties"]),
};

/** Keywords that draft 07 lacks or defines differently, and for which it has no replacement. */
const dropped: ReadonlySet<string> = new Set(
  `$anchor $comment $defs $dynamicAnchor $dynamicRef $id $schema $vocabulary contentSchema dependentRequired
  dependentSchemas discriminator example maxContains minContains nullable prefixItems unevaluatedItems
  unevaluatedProperties xml`.split(/\s+/),
);

/** Converts a schema. `rename` returns the new text of a reference in the schema. */
function toSchemaObject(schema: JsonSchema, rename: (reference: string) => string): JsonSchema {
  return typeof schema === "boolean" ? schema : convert(schema, rename);
}

function convert(schema: Keywords, rename: (reference: string) => string): Keywords {
  const { $ref: reference, ...beside } = schema;
  const inside = (value: unknown) => (isRecord(value) ? convert(value, rename) : value);
  const kept = Object.entries(beside).flatMap(([keyword, value]) =>
    dropped.has(keyword) ? [] : [[keyword, convertAt(places[keyword], value, inside)] as const],
  );
  const own: Keywords = {
    ...Object.fromEntries(kept),
    ...tupleOf(beside, inside),
    ...dependenciesOf(beside, inside),
    ...exampleOf(beside),
  };
  const whole = withNull(own, beside.nullable === true);
  if (typeof reference !== "string") return whole;
  const target = { $ref: rename(reference) };
  // Draft 07 ignores the siblings of a reference.
  return Object.keys(whole).length === 0 ? target : { ...whole, allOf: [target, ...listOf(whole.allOf)] };
}

function convertAt(
  place: "schema" | "list" | "map" | undefined,
  value: unknown,
  inside: (value: unknown) => unknown,
): unknown {
  if (place === "map" && isRecord(value)) return mapValues(value, inside);
  if (place === undefined) return value;
  return Array.isArray(value) ? value.map(inside) : inside(value);
}

/** Converts `prefixItems`: in draft 07 it is a list in `items`, and the former `items` is `additionalItems`. */
function tupleOf({ prefixItems, items }: Keywords, inside: (value: unknown) => unknown): Keywords {
  if (!Array.isArray(prefixItems)) return {};
  const rest = items === undefined ? {} : { additionalItems: inside(items) };
  return { items: prefixItems.map(inside), ...rest };
}

function dependenciesOf(
  { dependentRequired, dependentSchemas }: Keywords,
  inside: (value: unknown) => unknown,
): Keywords {
  if (!isRecord(dependentRequired) && !isRecord(dependentSchemas)) return {};
  const schemas = isRecord(dependentSchemas) ? mapValues(dependentSchemas, inside) : {};
  const names = isRecord(dependentRequired) ? dependentRequired : {};
  // For a name in both keywords, draft 07 has one entry.
  const joined = Object.keys(names)
    .filter((name) => Object.hasOwn(schemas, name))
    .map((name) => [name, { allOf: [schemas[name], { required: names[name] }] }] as const);
  return { dependencies: { ...names, ...schemas, ...Object.fromEntries(joined) } };
}

/** OpenAPI 3.0 has one example, JSON Schema has a list. */
function exampleOf({ example, examples }: Keywords): Keywords {
  return example === undefined || examples !== undefined ? {} : { examples: [example] };
}

/** OpenAPI 3.0 has `nullable` in addition to a type. */
function withNull(schema: Keywords, isNullable: boolean): Keywords {
  if (!isNullable || schema.type === undefined) return schema;
  const types = [...new Set([...listOf(schema.type), "null"])];
  const { enum: values } = schema;
  const known = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {};
  return { ...schema, ...known, type: types };
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function mapValues(values: Keywords, change: (value: unknown) => unknown): Keywords {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}

function keyed<T>(value: T, keys: readonly string[]): Readonly<Record<string, T>> {
  return Object.fromEntries(keys.map((key) => [key, value]));
}

/** Collects the messages that operations send and receive. */
export interface Messages {
  /**
   * Adds a message with this content to the document; the schema `true` means that nothing is known about the content.
   */
  add(
    title: string,
    schema: JsonSchema,
    bindings?: Json,
  ): { readonly key: string; readonly reference: AsyncApiReference };
  /** Returns everything added so far. */
  components(): Pick<Components, "messages" | "schemas">;
}

/** Returns an empty collection. */
export function createMessages(): Messages {
  const claimMessage = createKeys();
  const claimSchema = createKeys();
  const messages = new Map<string, MessageDescription>();
  const schemas = new Map<string, JsonSchema>();
  /** Keys of definitions by their name and content: streams share most of them. */
  const known = new Map<string, string>();

  /** Moves the definitions of a schema to the document, and returns a function that converts references to them. */
  function adopt(definitions: Readonly<Record<string, JsonSchema>>): (reference: string) => string {
    const reach = createReach(definitions);
    const keys = new Map<string, string>();
    const fresh: string[] = [];
    for (const name of Object.keys(definitions)) {
      // A definition also depends on the definitions it refers to, so it is shared only if all of these are equal.
      const identity = JSON.stringify([
        name,
        [...reach(name)].sort().map((each) => [each, definitions[each]]),
      ]);
      const key = known.get(identity) ?? claimSchema(name, "Schema");
      if (!known.has(identity)) fresh.push(name);
      known.set(identity, key);
      keys.set(name, key);
    }
    const rename = (reference: string) => {
      const name = reference.replace(/^#\/\$defs\//, "");
      return referTo("components", "schemas", keys.get(name) ?? name).$ref;
    };
    for (const name of fresh) {
      schemas.set(keys.get(name) ?? name, asObject(toSchemaObject(definitions[name] ?? true, rename)));
    }
    return rename;
  }

  return {
    add(title, schema, bindings) {
      const key = claimMessage(title, "message");
      const definitions = typeof schema === "boolean" ? {} : asDefinitions(schema.$defs);
      const payload = toSchemaObject(schema, adopt(definitions));
      const described = { name: key, title, ...describeContent(payload) };
      messages.set(key, bindings === undefined ? described : { ...described, bindings });
      return { key, reference: referTo("components", "messages", key) };
    },
    components: () => ({
      ...(messages.size > 0 && { messages: Object.fromEntries(messages) }),
      ...(schemas.size > 0 && { schemas: Object.fromEntries(schemas) }),
    }),
  };
}

/** Returns a function that finds the definitions that one refers to, directly and indirectly, including itself. */
function createReach(
  definitions: Readonly<Record<string, JsonSchema>>,
): (name: string) => ReadonlySet<string> {
  const referredTo = new Map(
    Object.entries(definitions).map(([name, schema]) => [name, [...referencesIn(schema)]]),
  );
  return (name) => {
    const reached = new Set<string>();
    for (const pending = [name]; pending.length > 0; ) {
      const at = pending.pop() ?? name;
      if (!reached.has(at)) pending.push(...(referredTo.get(at) ?? []));
      reached.add(at);
    }
    return reached;
  };
}

function* referencesIn(value: unknown): Iterable<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    if (key === "$ref" && typeof each === "string") yield each.replace(/^#\/\$defs\//, "");
    else yield* referencesIn(each);
  }
}

/** Texts and bytes are sent unchanged; everything else is JSON. */
function describeContent(payload: JsonSchema): Pick<MessageDescription, "contentType" | "payload"> {
  if (payload === true) return {};
  if (typeof payload === "boolean" || payload.type !== "string") {
    return { contentType: "application/json", payload };
  }
  const { contentEncoding, ...text } = payload;
  // Bytes need an encoding only inside JSON.
  return contentEncoding === undefined
    ? { contentType: "text/plain", payload }
    : { contentType: "application/octet-stream", payload: text };
}

/** Converts a boolean schema to an object: tools do not accept a boolean as a named schema of AsyncAPI. */
function asObject(schema: JsonSchema): JsonSchema {
  if (typeof schema !== "boolean") return schema;
  return schema ? {} : { not: {} };
}

/** Returns the `$defs` of a self-contained schema, whose values are schemas. */
function asDefinitions(value: unknown): Readonly<Record<string, JsonSchema>> {
  return typeof value === "object" && value !== null ? (value as Record<string, JsonSchema>) : {};
}
