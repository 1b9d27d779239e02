import type { JsonSchema } from "../value-types/json-schema/json-schema.ts";

// Schemas in, texts out that are equal where TypeScript's types of them are.

/** Schemas by name, which others refer to as `#/$defs/NAME`. */
export interface SchemaDefinitions {
  readonly [name: string]: JsonSchema;
}

/** Keywords that say more than a type can. */
const beyondTypes: ReadonlySet<string> = new Set([
  ...[
    "$comment",
    "default",
    "deprecated",
    "description",
    "example",
    "examples",
    "externalDocs",
    "title",
    "xml",
  ],
  ...["readOnly", "writeOnly", "format", "pattern", "contentEncoding", "contentMediaType", "discriminator"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"],
  ...["minProperties", "maxProperties", "uniqueItems"],
]);

/**
 * The shape of schemas that refer to `definitions`: the schema, and the definitions it leads to in the order they are
 * met, which are called by their number. Names do not count, and definitions may refer to themselves.
 */
export function createShapes(definitions: SchemaDefinitions): (schema: JsonSchema) => string {
  return (schema) => {
    const numbers = new Map<string, number>();
    const shape = createShape((name) => {
      if (!(name in definitions)) return undefined;
      const number = numbers.get(name) ?? numbers.size;
      numbers.set(name, number);
      return number;
    });
    const shapes = [shape(schema)];
    // Definitions met meanwhile are added to those that are gone through.
    for (const name of numbers.keys()) shapes.push(shape(definitions[name]));
    return JSON.stringify(shapes);
  };
}

/** The shape of one schema, as data; `numberOf` gives the number of a definition. */
function createShape(numberOf: (name: string) => number | undefined): (schema: unknown) => unknown {
  return shapeOf;

  function shapeOf(schema: unknown): unknown {
    if (typeof schema !== "object" || schema === null) return schema;
    const shape = mapKeys(schema, shapeOfKeyword);
    return Object.keys(shape).length === 0 ? true : shape;
  }

  function shapeOfKeyword(key: string, value: unknown): unknown {
    if (beyondTypes.has(key)) return undefined;
    if (key === "$ref" && typeof value === "string") return numberOf(value.slice("#/$defs/".length)) ?? value;
    if (/^(?:properties|patternProperties)$/.test(key)) return mapKeys(value, (_name, each) => shapeOf(each));
    if (/^(?:anyOf|oneOf|allOf|prefixItems)$/.test(key) && Array.isArray(value)) return value.map(shapeOf);
    return /^(?:items|additionalProperties|not)$/.test(key) ? shapeOf(value) : value;
  }
}

/** An object with its values changed, in the order of its keys; what becomes `undefined` goes. */
function mapKeys(value: unknown, change: (key: string, each: unknown) => unknown): object {
  if (typeof value !== "object" || value === null) return {};
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  const changed = sorted.map(([key, each]) => [key, change(key, each)] as const);
  return Object.fromEntries(changed.filter(([, each]) => each !== undefined));
}
