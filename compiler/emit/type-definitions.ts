// Schemas in, each with `$defs` of its own; the same schemas over common definitions out, which become the named
// types of `types.ts`. What is the same to TypeScript is defined once.

import { invariant } from "../diagnostics/invariant.ts";
import type { JsonSchema } from "../value-types/json-schema/json-schema.ts";
import { identifierFrom } from "./names.ts";
import { createShapes, type SchemaDefinitions } from "./schema-shape.ts";

/** The definitions that several schemas share. */
export interface TypeDefinitions {
  /**
   * The schema with its `$defs` moved to the common ones; one with fields or alternatives is moved itself. Of what is
   * the same to TypeScript one is enough, but declared schemas keep their names.
   */
  adopt(schema: JsonSchema, name: string, isDeclared: boolean): JsonSchema;
  /** Everything moved so far, by name. */
  all(): SchemaDefinitions;
}

/** An empty collection. */
export function createTypeDefinitions(): TypeDefinitions {
  const definitions = new Map<string, JsonSchema>();
  /** Names of definitions by their shape, and by the name they were to have with it. */
  const names = new Map<string, string>();
  return {
    adopt(schema, name, isDeclared) {
      if (typeof schema === "boolean") return schema;
      const { $defs, ...rest } = schema;
      const own = $defs === undefined ? {} : ($defs as SchemaDefinitions);
      const shapeOf = createShapes(own);
      const shape = shapeOf(rest);
      const known = deservesName(rest) ? find(name, shape, isDeclared) : undefined;
      if (known !== undefined) return referTo(known);
      const renamed = renameReferences(rest, adoptAll(own, shapeOf, isDeclared));
      if (!deservesName(rest)) return renamed;
      const free = claim(name, shape);
      definitions.set(free, renamed);
      return referTo(free);
    },
    all: () => Object.fromEntries(definitions),
  };

  /** Moves definitions over, and gives the names they have there. */
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
    // Taken from here on; what it means follows.
    definitions.set(free, true);
    return free;
  }
}

function typeName(name: string): string {
  const base = identifierFrom(name, "type");
  return base.charAt(0).toUpperCase() + base.slice(1);
}

/** Scalars and references are said where they stand. */
function deservesName(schema: JsonSchema): boolean {
  return typeof schema === "object" && ["properties", "anyOf", "oneOf", "allOf"].some((key) => key in schema);
}

function referTo(name: string): JsonSchema {
  return { $ref: `#/$defs/${name}` };
}

function renameReferences(schema: JsonSchema, names: ReadonlyMap<string, string>): JsonSchema {
  // What is put in is a schema, and only names in it change.
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

/** The translation refers to objects only. */
function objectFrom(schema: JsonSchema): JsonSchema {
  return typeof schema === "boolean" ? { tsType: schema ? "unknown" : "never" } : schema;
}
