// Converts a JSON Schema of a document to self-contained data: the targets of its references become `$defs`.

import type { ApiModel } from "../model/api.ts";
import { SchemaModel } from "../model/schema-model.ts";
import { type DocumentNode, type ScalarNode, toJson } from "../trees/document.ts";
import { findDynamic } from "../trees/dynamic-references.ts";
import { findSchemaTarget } from "../trees/schema-targets.ts";
import type { JsonSchema } from "../value-types/json-schema/json-schema.ts";

/**
 * The maximum number of definitions to include: in a large description, one schema may lead to all others, and
 * distant ones are of little use to readers.
 */
const maximumDefinitions = 64;

/**
 * Returns the schema at `node`. Definitions are named after the last part of the reference that leads to them. `toValue`:
 * the value of a scalar.
 */
export function selfContained(
  node: DocumentNode,
  api: ApiModel,
  most: number = maximumDefinitions,
  toValue: (scalar: ScalarNode) => unknown = toJson,
): JsonSchema {
  const names = new Map<DocumentNode, string>();
  const definitions: Record<string, unknown> = {};
  const root = copy(node);
  // Copy one after the other, nearest first: nested calls would overflow the call stack with thousands of definitions.
  for (const [target, name] of names) definitions[name] = copy(target);
  return Object.keys(definitions).length === 0 ? asSchema(root) : { ...asObject(root), $defs: definitions };

  function copy(at: DocumentNode): unknown {
    if (at.kind === "scalar") return toValue(at);
    if (at.kind === "list") return at.items.map(copy);
    const { reference, dynamicReference: dynamic } = new SchemaModel(at);
    const target = reference === undefined ? undefined : findSchemaTarget(at, api.references);
    const scoped = dynamic === undefined ? undefined : findDynamic(at, api);
    const followed = [
      ...(target === undefined ? [] : ["$ref"]),
      ...(scoped === undefined ? [] : ["$dynamicRef"]),
    ];
    const own = at.entries.filter(({ key }) => !followed.includes(key));
    const copied = Object.fromEntries(own.map(({ key, value }) => [key, copy(value)]));
    const name = target && define(target, reference?.text ?? "");
    const referring = name === undefined ? copied : { $ref: `#/$defs/${name}`, ...copied };
    const scope = scoped && define(scoped, dynamic?.text ?? "");
    if (scope === undefined) return referring;
    // If the schema already has a reference, combine both; otherwise add it to the other keywords.
    const $ref = `#/$defs/${scope}`;
    return "$ref" in referring ? { allOf: [referring, { $ref }] } : { $ref, ...referring };
  }

  function define(target: DocumentNode, reference: string): string | undefined {
    const known = names.get(target);
    if (known !== undefined || names.size >= most) return known;
    const wanted = lastPart(reference);
    let name = wanted;
    for (let number = 2; Object.hasOwn(definitions, name); number++) name = `${wanted}${number}`;
    names.set(target, name);
    // Register the name before copying, so that the recursion ends for a schema that refers to itself.
    definitions[name] = true;
    return name;
  }
}

function lastPart(reference: string): string {
  const part = reference.slice(Math.max(reference.lastIndexOf("/"), reference.lastIndexOf("#")) + 1);
  const name = part.replace(/\.(ya?ml|json)$/i, "").replace(/[^A-Za-z0-9_]+/g, "_");
  return name === "" ? "Schema" : name;
}

function asSchema(value: unknown): JsonSchema {
  return typeof value === "boolean" ? value : asObject(value);
}

function asObject(value: unknown): { readonly [keyword: string]: unknown } {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
