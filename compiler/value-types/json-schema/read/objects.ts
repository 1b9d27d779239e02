// Reads the keywords of a schema that apply to objects.

import { type Nearest, nearest } from "../../../diagnostics/suggest.ts";
import { type Field, never, type ObjectType, type Type, unknown } from "../../type.ts";
import { membersOf, unionOf } from "../../union.ts";
import { isFalse, type SchemaEntry, type SchemaNode, textOf } from "./schema-node.ts";

/** Reads the schema of a value. */
type ReadValue = (node: SchemaNode) => Type;

/** Returns the objects that a schema accepts; `undefined` if it has no keywords for objects. */
export function readObject(schema: SchemaNode, read: ReadValue): Type | undefined {
  const properties = schema.get("properties")?.entries();
  const required = new Set((schema.get("required")?.items() ?? []).map(({ value }) => value));
  const patterns = schema.get("patternProperties")?.entries();
  const additional = schema.get("additionalProperties");
  const isSilent = properties === undefined && patterns === undefined && additional === undefined;
  if (isSilent && required.size === 0) return undefined;
  const rest = unionOf([
    ...(patterns ?? []).map(({ node }) => read(node)),
    additional === undefined ? unknown : read(additional),
  ]);
  const fields = new Map<string, Field>();
  for (const { name, node, span } of properties ?? []) {
    const format = textOf(node, "format");
    fields.set(name, {
      type: read(node),
      required: required.has(name),
      ...(span === undefined ? {} : { span }),
      ...(format === undefined ? {} : { format }),
    });
  }
  const declared = [...fields.keys()];
  for (const name of required) {
    if (typeof name !== "string" || fields.has(name)) continue;
    // A name that is misspelt, or that a closed schema does not allow, is reported, so messages without that field are not reported as well.
    const isReported = meantProperty(name, declared, required)?.respelling === "sure";
    if (!isReported && rest.kind !== "Never") fields.set(name, { type: rest, required: true });
  }
  return objectWith(fields, rest);
}

/** Returns the similar optional property for a name in `required` that no property has. */
export function meantProperty(
  name: string,
  properties: Iterable<string>,
  required: ReadonlySet<unknown>,
): Nearest | undefined {
  const meant = nearest(name, properties);
  return meant.closest === undefined || required.has(meant.closest) ? undefined : meant;
}

/**
 * Returns the fields that a schema names under conditions (`then`, `dependentSchemas`): the object may have them, with
 * types that depend on the condition. `undefined` if there are none.
 */
export function readMentionedFields(schema: SchemaNode): ObjectType | undefined {
  const fields = new Map<string, Field>();
  const conditional = [
    ...["if", "then", "else"].flatMap((keyword) => schema.get(keyword) ?? []),
    ...(schema.get("dependentSchemas")?.entries() ?? []).map(({ node }) => node),
  ];
  for (const { name, span } of conditional.flatMap((branch) => mentionsOf(branch, new Set()))) {
    if (!fields.has(name)) {
      fields.set(name, { type: unknown, required: false, ...(span === undefined ? {} : { span }) });
    }
  }
  return fields.size === 0 ? undefined : { kind: "Object", fields, rest: unknown };
}

/**
 * Applies `unevaluatedProperties` of `schema` to the objects of `type`, which results from all other keywords. `rest`:
 * the type of fields that are not named. If fields are evaluated by more than their names, all fields are accepted.
 */
export function withUnevaluated(schema: SchemaNode, type: Type, rest: Type): Type {
  if (evaluatesOthers(schema)) return type;
  const members = membersOf(type);
  const objects = members.filter((member) => member.kind === "Object");
  return unionOf(members.map((member) => (member.kind === "Object" ? close(member, objects, rest) : member)));
}

/** Closes an object. It may match several alternatives at the same time, so it may have the fields of all. */
function close(object: ObjectType, alternatives: readonly ObjectType[], rest: Type): Type {
  if (object.rest?.kind !== "Unknown") return object;
  const fields = new Map(object.fields);
  for (const [name, { span }] of alternatives.flatMap((other) => [...other.fields])) {
    if (fields.has(name)) continue;
    fields.set(name, { type: unknown, required: false, ...(span === undefined ? {} : { span }) });
  }
  return objectWith(fields, rest);
}

/** Returns an object; `Never` if it requires a field that cannot have a value. */
function objectWith(fields: ReadonlyMap<string, Field>, rest: Type): Type {
  for (const { type, required } of fields.values()) if (required && type.kind === "Never") return never;
  return { kind: "Object", fields, rest: rest.kind === "Never" ? undefined : rest };
}

/** Returns the fields that a schema names for its value, directly and through other schemas. */
function mentionsOf(branch: SchemaNode, visited: Set<object>): readonly SchemaEntry[] {
  return [...inPlace(branch, visited)].flatMap((schema) => schema.get("properties")?.entries() ?? []);
}

/** Whether a schema evaluates fields by more than their names, so that the other fields are unknown. */
function evaluatesOthers(schema: SchemaNode): boolean {
  return [...inPlace(schema, new Set())].some((part) =>
    ["additionalProperties", "patternProperties", "if", "dependentSchemas", "$dynamicRef"].some((keyword) => {
      const said = part.get(keyword);
      return said !== undefined && !isFalse(said);
    }),
  );
}

/** Yields a schema and all schemas that apply to the same value. */
function* inPlace(schema: SchemaNode, visited: Set<object>): Generator<SchemaNode> {
  if (visited.has(schema.identity)) return;
  visited.add(schema.identity);
  yield schema;
  const target = schema.target("$ref");
  if (target !== undefined) yield* inPlace(target, visited);
  for (const keyword of ["if", "then", "else"]) {
    const branch = schema.get(keyword);
    if (branch !== undefined) yield* inPlace(branch, visited);
  }
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    for (const part of schema.get(keyword)?.items() ?? []) yield* inPlace(part, visited);
  }
}
