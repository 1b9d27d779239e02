// Results of methods that go by a path: what stands there, the whole with something else there.

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

/** The segments of a dot path, where `~1` is a dot and `~0` a tilde; as in runtime/mapping/paths.ts. */
export function segmentsOf(path: string): readonly string[] {
  return path.split(".").map((segment) => segment.replaceAll("~1", ".").replaceAll("~0", "~"));
}

/** What stands at a path known before it is read, null where nothing does. */
export function valueAtPath({ target, args: [path] }: CallTypes): Type {
  const text = literalText(path);
  return text === undefined ? unknown : typeAtPath(target, segmentsOf(text));
}

/** The whole with a value at a path. */
export function withValueAtPath({ target, args: [path, value = unknown] }: CallTypes): Type {
  const text = literalText(path);
  // Other than an assignment of `nothing()`, this puts null there.
  if (text !== undefined) return withField(target, segmentsOf(text), eachMember(value, nothingAsNull));
  return eachMember(target, (member) => (member.kind === "Array" ? arrayOf(unknown) : anyObject));
}

function nothingAsNull(type: Type): Type {
  return type.kind === "Nothing" ? nullType : type;
}

/** On the way to the path may stand what has no fields. */
export function unlessPathIsFree({ target, args: [path, value] }: CallTypes): boolean {
  const text = literalText(path);
  if (text === undefined) return true;
  const kinds = new Set((value && membersOf(value))?.map(({ kind }) => kind));
  // What is to be taken out has to be there.
  if (kinds.has("Deleted") && !isThere(target, segmentsOf(text))) return true;
  return !(kinds.size === 1 && kinds.has("Deleted")) && blocks(target, segmentsOf(text));
}

/** Whether something stands at a path in every value of a type. */
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

/** An object of what stands at some paths, the rest left out. */
export function withFieldsKept(call: CallTypes): Type {
  return byPaths(call, (target, paths) => keptAt(target, paths));
}

/** An object without what stands at some paths. */
export function withFieldsRemoved(call: CallTypes): Type {
  return byPaths(call, (target, paths) => removedAt(target, paths));
}

type Paths = readonly (readonly string[])[];

/** Paths that are computed can name any of the fields. */
function byPaths({ target, args }: CallTypes, change: (target: Type, paths: Paths) => Type): Type {
  const paths = args.map(literalText);
  const known = paths.filter((path) => path !== undefined);
  if (known.length === paths.length) return change(target, known.map(segmentsOf));
  return eachMember(target, () => anyObject);
}

function keptAt(type: Type, paths: Paths): Type {
  return eachMember(type, (member) => {
    if (member.kind === "Array") return arrayOf(keptAt(member.items, paths));
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

/** Of a path that goes on, what has no fields is kept as it is. */
function keptField(field: Field, paths: Paths): Field {
  if (paths.some((path) => path.length === 0)) return field;
  return { ...field, type: keptAt(field.type, paths) };
}

function removedAt(type: Type, paths: Paths): Type {
  return eachMember(type, (member) => {
    if (member.kind === "Array") return arrayOf(removedAt(member.items, paths));
    if (member.kind !== "Object") return member;
    const fields = new Map<string, Field>();
    for (const [name, field] of member.fields) {
      const deeper = below(paths, name);
      if (deeper.some((path) => path.length === 0)) continue;
      fields.set(name, deeper.length === 0 ? field : { ...field, type: removedAt(field.type, deeper) });
    }
    if (member.rest === undefined) return { kind: "Object", fields, rest: undefined };
    // Of an object that takes any fields, it has to be said which ones it has not.
    for (const [name, ...deeper] of paths)
      if (name !== undefined && deeper.length === 0) fields.set(name, { type: never, required: false });
    return { kind: "Object", fields, rest: removedFromRest(member, paths) };
  });
}

/** Undeclared fields keep their type unless a path leads into one of them. */
function removedFromRest({ fields, rest }: ObjectType, paths: Paths): Type | undefined {
  return paths.some(([name = "", ...deeper]) => deeper.length > 0 && !fields.has(name)) ? unknown : rest;
}

/** What is left of the paths that begin with a name. */
function below(paths: Paths, name: string): Paths {
  return paths.filter(([first]) => first === name).map((path) => path.slice(1));
}

/** `undefined` where there can be none of the name. */
function declaredField({ fields, rest }: ObjectType, name: string): Field | undefined {
  const field = fields.get(name) ?? fieldFromRest(rest);
  return field.type.kind === "Never" ? undefined : field;
}

/** Copies with one element, or one field, of what stands at a path in its place. */
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

/** What stands at the path may be neither array nor object. */
export function unlessExplodable({ target, args: [path] }: CallTypes): boolean {
  const text = literalText(path);
  if (text === undefined) return true;
  const inner = typeAtPath(target, segmentsOf(text));
  return !(membersOf(inner)?.every(hasFields) ?? false);
}
