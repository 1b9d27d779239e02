// Writes a type as a self-contained JSON Schema (draft 2020-12).

import type { ObjectType, Type } from "../../type.ts";
import { membersOf } from "../../union.ts";
import type { JsonSchema } from "../json-schema.ts";

/** The maximum number of definitions: types of large descriptions may refer to thousands of others. */
const maximumDefinitions = 64;

/** Objects that are nested more deeply are written as definitions, so that the schema stays readable. */
const deepestInside = 6;

/**
 * Returns the schema of messages with values of `type`. Timestamps and bytes are texts; deleted and omitted values are
 * left out. Recursive types are under `$defs`. The schema loses only whether a number has a fraction, and the exact
 * value of integers beyond JavaScript's safe range. Texts and numbers for which `isSecret` is true are described by
 * kind only.
 */
export function writeJsonSchema(type: Type, isSecret: (text: string) => boolean = () => false): JsonSchema {
  const names = new Map<unknown, string>();
  const shared = sharedObjects(type);
  const definitions = new Map<string, JsonSchema>();
  const waiting = new Map<string, () => JsonSchema>();
  let depth = 0;
  const root = write(type);
  // One after the other: nested calls for thousands of definitions would overflow the call stack.
  for (const [name, body] of waiting) definitions.set(name, body());
  if (definitions.size === 0) return root;
  return { ...(root === true ? {} : asObject(root)), $defs: Object.fromEntries(definitions) };

  /** `name`: the name of the field that leads here, which becomes the name of a shared object. */
  function write(of: Type, name?: string): JsonSchema {
    const members = membersOf(of).map((member) => withoutSecret(member, isSecret));
    const parts = [
      ...writeNames(members),
      ...writeLiterals(members),
      ...members.flatMap((member) => writeStructured(member, name)),
    ];
    const [first, ...others] = parts;
    if (first === undefined) return false;
    return others.length === 0 ? first : { anyOf: parts };
  }

  function writeStructured(member: Type, name = "Object"): readonly JsonSchema[] {
    switch (member.kind) {
      case "Unknown":
        return [true];
      case "Bytes":
        return [{ type: "string", contentEncoding: "base64" }];
      case "Timestamp":
        return [{ type: "string", format: "date-time" }];
      case "Array":
        return [
          { type: "array", ...(member.items.kind === "Unknown" ? {} : { items: write(member.items, name) }) },
        ];
      case "Object":
        if (!shared.has(member) && depth < deepestInside) return [writeObject(member)];
        return [define(member, shared.get(member) ?? name, () => writeObject(member))];
      case "Recursive": {
        const inside = member.unfold();
        if (inside.kind === "Object") return writeStructured(inside);
        return [define(member.unfold, member.name, () => write(inside))];
      }
      default:
        // Written by its name or value, or not part of a message.
        return [];
    }
  }

  function writeObject({ fields, rest }: ObjectType): JsonSchema {
    depth++;
    const properties = Array.from(fields, ([name, field]) => [name, write(field.type, name)] as const);
    const others = rest === undefined ? false : write(rest);
    depth--;
    const required = Array.from(fields).flatMap(([name, field]) => (field.required ? [name] : []));
    return {
      type: "object",
      ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
      ...(required.length === 0 ? {} : { required }),
      ...(rest?.kind === "Unknown" ? {} : { additionalProperties: others }),
    };
  }

  function define(identity: unknown, title: string, body: () => JsonSchema): JsonSchema {
    const known = names.get(identity);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    if (names.size >= maximumDefinitions) return true;
    const wanted = title.replace(/[^A-Za-z0-9_]+/g, "_");
    let name = wanted;
    for (let number = 2; definitions.has(name); number++) name = `${wanted}${number}`;
    names.set(identity, name);
    // Reserves the name before the body is written, so that recursion ends.
    definitions.set(name, true);
    waiting.set(name, body);
    return { $ref: `#/$defs/${name}` };
  }
}

/** Whether the schema of a type describes its values: it is neither `true` nor `false`. */
export function isDescribed(type: Type): boolean {
  return membersOf(type).some(({ kind }) => !undescribed.has(kind));
}

/** The kinds whose schema is `true`, and those that are not part of a message. Unions contain no `Unknown`. */
const undescribed: ReadonlySet<Type["kind"]> = new Set(["Unknown", "Never", "Deleted", "Nothing"]);

/**
 * Returns the objects to write once, with the names of those that contain themselves. The others occur at several
 * places and contain objects or arrays: written each time, a description that shares its parts over many levels would
 * grow without bound.
 */
function sharedObjects(type: Type): ReadonlyMap<Type, string | undefined> {
  const met = new Set<unknown>();
  const shared = new Map<Type, string | undefined>();
  const unfolded = new Set<Type>([type]);
  // Added types are visited by the same loop, so that a chain of recursive types does not overflow the call stack.
  for (const at of unfolded) {
    visit(at);
    if (shared.size > maximumDefinitions) break;
  }
  return shared;

  function visit(at: Type): void {
    if (at.kind === "Union") for (const member of at.members) visit(member);
    if (at.kind === "Array") visit(at.items);
    if (at.kind === "Object") visitObject(at);
    if (at.kind !== "Recursive" || met.has(at.unfold)) return;
    met.add(at.unfold);
    const inside = at.unfold();
    if (inside.kind === "Object") shared.set(inside, at.name);
    unfolded.add(inside);
  }

  function visitObject(at: ObjectType): void {
    const parts = Array.from(at.fields.values(), (field) => field.type);
    if (at.rest !== undefined) parts.push(at.rest);
    if (met.has(at)) {
      if (!shared.has(at) && parts.some(isStructured)) shared.set(at, undefined);
      return;
    }
    met.add(at);
    for (const part of parts) visit(part);
  }
}

function isStructured(type: Type): boolean {
  return membersOf(type).some(({ kind }) => kind === "Object" || kind === "Array" || kind === "Recursive");
}

function withoutSecret(member: Type, isSecret: (text: string) => boolean): Type {
  if (member.kind !== "String" && member.kind !== "Integer") return member;
  return member.value !== undefined && isSecret(String(member.value)) ? { kind: member.kind } : member;
}

/** Writes the kinds without parts by their names. */
function writeNames(members: readonly Type[]): readonly JsonSchema[] {
  const names = new Set(members.flatMap(nameOf));
  // JSON's numbers include the integers.
  if (names.has("number")) names.delete("integer");
  const [first, ...others] = names;
  if (first === undefined) return [];
  return [{ type: others.length === 0 ? first : [...names] }];
}

function nameOf(member: Type): readonly string[] {
  switch (member.kind) {
    case "Null":
      return ["null"];
    case "Bool":
      return member.value === undefined ? ["boolean"] : [];
    case "Integer":
      return isExact(member.value) ? [] : ["integer"];
    case "Float":
      return ["number"];
    case "String":
      return member.value === undefined ? ["string"] : [];
    default:
      return [];
  }
}

function writeLiterals(members: readonly Type[]): readonly JsonSchema[] {
  const values = members.flatMap((member): readonly (string | number | boolean)[] => {
    if (member.kind === "Integer") return isExact(member.value) ? [Number(member.value)] : [];
    if (member.kind !== "Bool" && member.kind !== "String") return [];
    return member.value === undefined ? [] : [member.value];
  });
  const [first, ...others] = values;
  if (first === undefined) return [];
  return [others.length === 0 ? { const: first } : { enum: values }];
}

/** Whether an integer is known and can be represented exactly as a JavaScript number. */
function isExact(value: bigint | undefined): value is bigint {
  return value !== undefined && BigInt(Number(value)) === value;
}

function asObject(schema: JsonSchema): { readonly [keyword: string]: unknown } {
  return typeof schema === "boolean" ? { not: {} } : schema;
}
