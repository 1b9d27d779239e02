// Result types of methods that take a path: the value there, or the whole with another value there.

import { withField } from "../../value-types/assign.ts";
import { fieldFromRest, fieldOf, typeAtPath } from "../../value-types/fields.ts";
import {
  anyObject,
  arrayOf,
  type Field,
  never,
  nullType,
  type ObjectType,
  type Type,
  unknown,
} from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import type { CallTypes } from "../builtin.ts";
import { eachMember, literalText, membersOf } from "./members.ts";

/** Returns the segments of a dot path, in which `~1` is a dot and `~0` a tilde, as in runtime/mapping/paths.ts. */
export function segmentsOf(path: string): readonly string[] {
  return path.split(".").map((segment) => segment.replaceAll("~1", ".").replaceAll("~0", "~"));
}

/** Returns the type at a path that is known at compile time; null if there is no value. */
export function valueAtPath({ target, args: [path] }: CallTypes): Type {
  const text = literalText(path);
  return text === undefined ? unknown : typeAtPath(target, segmentsOf(text));
}

/** Returns the type of the target with another value at a path. */
export function withValueAtPath({ target, args: [path, value = unknown] }: CallTypes): Type {
  const text = literalText(path);
  // Unlike an assignment of `nothing()`, this sets null.
  if (text !== undefined) return withField(target, segmentsOf(text), eachMember(value, nothingAsNull));
  return eachMember(target, (member) => (member.kind === "Array" ? arrayOf(unknown) : anyObject));
}

function nothingAsNull(type: Type): Type {
  return type.kind === "Nothing" ? nullType : type;
}

/** Whether a value on the way to the path may have no fields. */
export function unlessPathIsFree({ target, args: [path, value] }: CallTypes): boolean {
  const text = literalText(path);
  if (text === undefined) return true;
  const kinds = new Set((value && membersOf(value))?.map(({ kind }) => kind));
  // A value to delete has to exist.
  if (kinds.has("Deleted") && !isThere(target, segmentsOf(text))) return true;
  return !(kinds.size === 1 && kinds.has("Deleted")) && blocks(target, segmentsOf(text));
}

/** Whether every value of a type has a value at a path. */
function isThere(type: Type, [name, ...below]: readonly string[]): boolean {
  if (name === undefined) return true;
  const isObject = membersOf(type)?.every(({ kind }) => kind === "Object") ?? false;
  const field = fieldOf(type, name);
  return isObject && field.presence === "present" && isThere(field.type, below);
}

function blocks(type: Type, [name, ...below]: readonly string[]): boolean {
  if (name === undefined) return false;
  const members = membersOf(type);
  if (members === undefined) return true;
  return members.some((member) => {
    if (member.kind === "Null") return false;
    if (member.kind !== "Object") return true;
    return below.length > 0 && blocks(fieldOf(member, name).type, below);
  });
}

/** Returns an object with only the values at the paths. */
export function withFieldsKept(call: CallTypes): Type {
  return byPaths(call, (target, paths) => keptAt(target, paths));
}

/** Returns an object without the values at the paths. */
export function withFieldsRemoved(call: CallTypes): Type {
  return byPaths(call, (target, paths) => removedAt(target, paths));
}

type Paths = readonly (readonly string[])[];

/** Applies `change` if the paths are known. Computed paths may name any field. */
function byPaths({ target, args }: CallTypes, change: (target: Type, paths: Paths) => Type): Type {
  const paths = args.map(literalText);
  const known = paths.filter((path) => path !== undefined);
  if (known.length === paths.length) return change(target, known.map(segmentsOf));
  return eachMember(target, () => anyObject);
}

function keptAt(type: Type, paths: Paths): Type {
  return eachMember(type, (member) => {
    if (member.kind !== "Object") return member;
    const fields = new Map<string, Field>();
    for (const name of new Set(paths.map(([first = ""]) => first))) {
      const field = declaredField(member, name);
      if (field !== undefined) fields.set(name, keptField(field, below(paths, name)));
    }
    return { kind: "Object", fields, rest: undefined };
  });
}

function hasFields({ kind }: Type): boolean {
  return kind === "Object" || kind === "Array";
}

/**
 * Keeps the parts of a field at the longer ones of its paths. A value that is no object is kept unchanged, even if a
 * path continues below it.
 */
function keptField(field: Field, paths: Paths): Field {
  const deeper = paths.filter((path) => path.length > 0);
  return deeper.length === 0 ? field : { ...field, type: keptAt(field.type, deeper) };
}

function removedAt(type: Type, paths: Paths): Type {
  return eachMember(type, (member) => {
    if (member.kind !== "Object") return member;
    const fields = new Map<string, Field>();
    for (const [name, field] of member.fields) {
      const deeper = below(paths, name);
      if (deeper.some((path) => path.length === 0)) continue;
      fields.set(name, deeper.length === 0 ? field : { ...field, type: removedAt(field.type, deeper) });
    }
    if (member.rest === undefined) return { kind: "Object", fields, rest: undefined };
    // If an object allows any fields, the removed ones have to be marked as absent.
    for (const [name, ...deeper] of paths)
      if (name !== undefined && deeper.length === 0) fields.set(name, { type: never, required: false });
    return { kind: "Object", fields, rest: removedFromRest(member, paths) };
  });
}

/** Returns the type of undeclared fields, which stays the same unless a path leads into one of them. */
function removedFromRest({ fields, rest }: ObjectType, paths: Paths): Type | undefined {
  return paths.some(([name = "", ...deeper]) => deeper.length > 0 && !fields.has(name)) ? unknown : rest;
}

/** Returns the rest of the paths that begin with `name`. */
function below(paths: Paths, name: string): Paths {
  return paths.filter(([first]) => first === name).map((path) => path.slice(1));
}

/** Returns the field `name`; `undefined` if there cannot be one. */
function declaredField({ fields, rest }: ObjectType, name: string): Field | undefined {
  const field = fields.get(name) ?? fieldFromRest(rest);
  return field.type.kind === "Never" ? undefined : field;
}

/** Returns copies of the target, each with one element or field of the value at the path in its place. */
export function exploded({ target, args: [path] }: CallTypes): Type {
  const text = literalText(path);
  if (text === undefined) return copies;
  const segments = segmentsOf(text);
  const copy = (value: Type) => withField(target, segments, value);
  return eachMember(typeAtPath(target, segments), (inner) => {
    if (inner.kind === "Array") return arrayOf(copy(inner.items));
    if (inner.kind !== "Object") return never;
    const fields = Array.from(
      inner.fields,
      ([name, field]) => [name, { ...field, type: copy(field.type) }] as const,
    );
    return {
      kind: "Object",
      fields: new Map(fields),
      rest: inner.rest === undefined ? undefined : copy(inner.rest),
    };
  });
}

const copies: Type = unionOf([arrayOf(anyObject), anyObject]);

/** Whether the value at the path may be neither array nor object. */
export function unlessExplodable({ target, args: [path] }: CallTypes): boolean {
  const text = literalText(path);
  if (text === undefined) return true;
  const inner = typeAtPath(target, segmentsOf(text));
  return !(membersOf(inner)?.every(hasFields) ?? false);
}
