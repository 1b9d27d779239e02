// Emits message types as TypeScript: `types.ts`, for authors of clients and of mappings. Schemas share definitions,
// which become named types; definitions that are equal in TypeScript are emitted once. json-schema-to-typescript
// translates the schemas.

import type { JSONSchema4 } from "json-schema";
import { invariant } from "../diagnostics/invariant.ts";
import type { ApiPlan, MessageStepPlan, Plan, StreamPlan } from "../plan/plan.ts";
import { locate } from "../source/source.ts";
import type { JsonSchema } from "../value-types/json-schema/json-schema.ts";
import { banner } from "./assemble.ts";
import { isPropertyName } from "./code.ts";
import { identifierFrom } from "./names.ts";

// Converts schemas to texts that are equal if TypeScript's types of the schemas are equal.

/** Schemas by name, which others refer to as `#/$defs/NAME`. */
interface SchemaDefinitions {
  readonly [name: string]: JsonSchema;
}

/** Keywords that have no equivalent in a type. */
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
 * Returns a function for the shape of schemas that refer to `definitions`: the schema and the definitions it refers to,
 * in order of occurrence and numbered. Names make no difference, and definitions may refer to themselves.
 */
function createShapes(definitions: SchemaDefinitions): (schema: JsonSchema) => string {
  return (schema) => {
    const numbers = new Map<string, number>();
    const shape = createShape((name) => {
      if (!(name in definitions)) return undefined;
      const number = numbers.get(name) ?? numbers.size;
      numbers.set(name, number);
      return number;
    });
    const shapes = [shape(schema)];
    // Definitions found during the loop are appended and visited as well.
    for (const name of numbers.keys()) shapes.push(shape(definitions[name]));
    return JSON.stringify(shapes);
  };
}

/** Returns a function for the shape of one schema, as data. `numberOf` returns the number of a definition. */
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

/** Returns an object with changed values, sorted by key. Values that become `undefined` are removed. */
function mapKeys(value: unknown, change: (key: string, each: unknown) => unknown): object {
  if (typeof value !== "object" || value === null) return {};
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  const changed = sorted.map(([key, each]) => [key, change(key, each)] as const);
  return Object.fromEntries(changed.filter(([, each]) => each !== undefined));
}

/** The definitions that several schemas share. */
interface TypeDefinitions {
  /**
   * Returns the schema with its `$defs` moved to the shared ones. A schema with fields or alternatives is moved itself.
   * Schemas that are equal in TypeScript are moved once, but declared schemas keep their names.
   */
  adopt(schema: JsonSchema, name: string, isDeclared: boolean): JsonSchema;
  /** Returns all definitions that were moved, by name. */
  all(): SchemaDefinitions;
}

/** Returns an empty collection. */
function createTypeDefinitions(): TypeDefinitions {
  const definitions = new Map<string, JsonSchema>();
  /** The names of definitions by their shape, and by shape and requested name. */
  const names = new Map<string, string>();
  /** The shapes of schemas that become named types, and the others as they were moved: many steps share a schema. */
  const shapes = new Map<JsonSchema, string>();
  const nameless = new Map<JsonSchema, JsonSchema>();
  return {
    adopt(schema, name, isDeclared) {
      if (typeof schema === "boolean") return schema;
      const moved = nameless.get(schema);
      if (moved !== undefined) return moved;
      const { $defs, ...rest } = schema;
      const own = $defs === undefined ? {} : ($defs as SchemaDefinitions);
      const shapeOf = createShapes(own);
      if (!deservesName(rest)) {
        const renamed = renameReferences(rest, adoptAll(own, shapeOf, isDeclared));
        nameless.set(schema, renamed);
        return renamed;
      }
      const shape = shapes.get(schema) ?? shapeOf(rest);
      shapes.set(schema, shape);
      const known = find(name, shape, isDeclared);
      if (known !== undefined) return referTo(known);
      const renamed = renameReferences(rest, adoptAll(own, shapeOf, isDeclared));
      const free = claim(name, shape);
      definitions.set(free, renamed);
      return referTo(free);
    },
    all: () => Object.fromEntries(definitions),
  };

  /** Moves definitions and returns their new names. */
  function adoptAll(
    own: SchemaDefinitions,
    shapeOf: (schema: JsonSchema) => string,
    isDeclared: boolean,
  ): ReadonlyMap<string, string> {
    const fresh = new Set<string>();
    const renamed = new Map<string, string>();
    for (const name of Object.keys(own)) {
      const shape = shapeOf({ $ref: `#/$defs/${name}` });
      const known = find(name, shape, isDeclared);
      if (known === undefined) fresh.add(name);
      renamed.set(name, known ?? claim(name, shape));
    }
    for (const name of fresh) {
      const [free, schema] = [renamed.get(name), own[name]];
      invariant(free !== undefined && schema !== undefined, "every definition has a name");
      definitions.set(free, objectFrom(renameReferences(schema, renamed)));
    }
    return renamed;
  }

  function find(name: string, shape: string, isDeclared: boolean): string | undefined {
    return names.get(`${typeName(name)} ${shape}`) ?? (isDeclared ? undefined : names.get(shape));
  }

  function claim(name: string, shape: string): string {
    const wanted = typeName(name);
    let free = wanted;
    for (let number = 2; definitions.has(free); number++) free = `${wanted}${number}`;
    names.set(`${wanted} ${shape}`, free);
    if (!names.has(shape)) names.set(shape, free);
    // Reserves the name; the definition follows.
    definitions.set(free, true);
    return free;
  }
}

function typeName(name: string): string {
  const base = identifierFrom(name, "type");
  return base.charAt(0).toUpperCase() + base.slice(1);
}

/** Whether a schema becomes a named type. Scalars and references are written inline. */
function deservesName(schema: JsonSchema): boolean {
  return typeof schema === "object" && ["properties", "anyOf", "oneOf", "allOf"].some((key) => key in schema);
}

function referTo(name: string): JsonSchema {
  return { $ref: `#/$defs/${name}` };
}

function renameReferences(schema: JsonSchema, names: ReadonlyMap<string, string>): JsonSchema {
  // The input is a schema, and only names in it change.
  return rename(schema, names) as JsonSchema;
}

function rename(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => rename(item, names));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      if (key !== "$ref" || typeof each !== "string") return [key, rename(each, names)];
      const name = each.slice("#/$defs/".length);
      return [key, `#/$defs/${names.get(name) ?? name}`];
    }),
  );
}

/** Converts boolean schemas to objects: the translation supports references to objects only. */
function objectFrom(schema: JsonSchema): JsonSchema {
  return typeof schema === "boolean" ? { tsType: schema ? "unknown" : "never" } : schema;
}

/** Returns the text of `types.ts`. */
export async function emitTypes(plan: Plan, sources: readonly string[]): Promise<string> {
  const apis = plan.apis.filter((api) => api.streams.length > 0);
  if (apis.length === 0) return `${banner(sources)}\nexport {};\n`;
  const { compile } = await import("json-schema-to-typescript");
  const { described, schema } = describeApis(apis);
  const root: JSONSchema4 = { title: "Messages", ...translatable(schema) };
  const text = await compile(root, "Messages", {
    additionalProperties: true,
    bannerComment: "",
    format: true,
    // The parser of TypeScript itself is a third of a whole compiler.
    style: { parser: "babel-ts", printWidth: 110 },
    unknownAny: true,
  });
  const translated = withBlankLines(text.trim().replaceAll(standIn, method));
  return `${banner(sources)}\n${withSteps(translated, described)}\n`;
}

/**
 * The translation calls this method of every object in a schema. A property with the same name is temporarily
 * renamed.
 */
const method = "hasOwnProperty";
const standIn = "hasOwnProperty_of_a_message";

function translatable<T>(value: T): T;
function translatable(value: unknown): unknown {
  if (value === method) return standIn;
  // The translation makes URLs of names, and fails on half of a character.
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map((each) => translatable(each));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [translatable(key), translatable(inner)]),
  );
}

/** Separates declarations, which the translation puts on adjacent lines, by blank lines. */
function withBlankLines(text: string): string {
  return text.replaceAll(/^(\}|.*;)\n(?=export |\/\*\*)/gm, "$1\n\n");
}

/** A step of a stream: its place, and the number of the translated step with the same type. */
interface DescribedStep {
  readonly place: string;
  readonly number: number;
}

interface DescribedApi {
  readonly id: string;
  readonly streams: readonly { readonly name: string; readonly steps: readonly DescribedStep[] }[];
}

/**
 * Returns the steps of all streams, and the schema to translate: one property for each distinct step, at the final
 * depth, and definitions next to each other. Formatting the same few steps for each of thousands of streams would take
 * longer than the rest of a build.
 */
function describeApis(apis: readonly ApiPlan[]): {
  readonly described: readonly DescribedApi[];
  readonly schema: JsonSchema & object;
} {
  const definitions = createTypeDefinitions();
  const numbers = new Map<string, number>();
  const different: (readonly [name: string, schema: JsonSchema])[] = [];
  const describe = (stream: StreamPlan, step: MessageStepPlan): DescribedStep => {
    const { name, component, label } = step;
    // A type is named after the stream and the first step after which messages have this type.
    const words = name === "input" || name === "output" ? name : (label ?? component);
    const schema = definitions.adopt(step.schema, `${stream.name} ${words}`, step.isDeclared);
    const key = JSON.stringify([name, schema]);
    const number = numbers.get(key) ?? different.push([name, withDescription(schema, somePlace)]) - 1;
    numbers.set(key, number);
    return { place: placeOf(step), number };
  };
  const described = apis.map(({ id, streams }) => ({
    id,
    streams: streams.map((stream) => ({
      name: stream.name,
      steps: stream.messages.map((step) => describe(stream, step)),
    })),
  }));
  const steps = different.map((step, number) => [`step${number}`, closedObject(undefined, [step])] as const);
  const description = "What messages look like behind each step, by API and stream.";
  const schema = closedObject(description, [["steps", closedObject(undefined, steps)]]);
  return { described, schema: { ...schema, $defs: definitions.all() } };
}

/** The placeholder in the translation of a step for the places of all steps with that type. */
const somePlace = "the place of a step";

/** Returns the translation with all steps instead of the distinct ones. */
function withSteps(text: string, apis: readonly DescribedApi[]): string {
  const opening = "export interface Messages {\n";
  const start = text.startsWith(opening) ? 0 : text.indexOf(`\n${opening}`) + 1;
  const end = `${text}\n`.indexOf("\n}\n", start);
  const [, ...steps] = text.slice(start, end).split(/\n(?= {6}\/\*\*\n)/);
  const different = steps.map((step) => step.slice(0, step.lastIndexOf("\n    };")));
  const written = apis.flatMap(({ id, streams }) => [
    ...commentLines(`The streams of ${id}.`).map((line) => `  ${line}`),
    `  ${keyText(id)}: {`,
    ...streams.flatMap(({ name, steps }) => {
      if (steps.length === 0) return [`    ${keyText(name)}: {};`];
      const own = steps.map(({ place, number }) =>
        (different[number] ?? "").replace(somePlace, () => withoutEnd(place)),
      );
      return [`    ${keyText(name)}: {`, ...own, "    };"];
    }),
    "  };",
  ]);
  return text.slice(0, start) + opening + written.join("\n") + text.slice(end);
}

function commentLines(text: string): readonly string[] {
  return [
    "/**",
    ...withoutEnd(text)
      .split("\n")
      .map((line) => ` * ${line}`),
    " */",
  ];
}

/** Returns text without the end of a comment, as the translation writes it. */
function withoutEnd(text: string): string {
  return text.replaceAll("*/", "* /");
}

function keyText(key: string): string {
  return isPropertyName(key) ? key : JSON.stringify(key);
}

/** `check stock, orders.yaml:23` */
function placeOf({ label, span }: MessageStepPlan): string {
  const { file, start } = locate(span);
  return `${label === undefined ? "" : `${label}, `}${file.path}:${start.line}`;
}

/**
 * Adds a description. The translation takes a schema with only a description for an object and ignores one next to
 * `$ref`.
 */
function withDescription(schema: JsonSchema, description: string): JsonSchema {
  if (typeof schema === "boolean") return { description, tsType: schema ? "unknown" : "never" };
  return "$ref" in schema ? { description, allOf: [schema] } : { ...schema, description };
}

function closedObject(
  description: string | undefined,
  properties: readonly (readonly [string, JsonSchema])[],
) {
  return {
    type: "object" as const,
    ...(description === undefined ? {} : { description }),
    additionalProperties: false,
    properties: Object.fromEntries(properties),
    required: properties.map(([name]) => name),
  };
}
