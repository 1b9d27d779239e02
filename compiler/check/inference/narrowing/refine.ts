// Narrows the type of a whole value by what a test has shown about a path in it. Each function removes the alternatives
// that the test excludes and keeps those that it cannot decide.

import { type Alternative, alternativesOf } from "../../../value-types/alternatives.ts";
import {
  anyObject,
  type Field,
  never,
  nullType,
  type ObjectType,
  type Type,
} from "../../../value-types/type.ts";
import { membersOf, sameType, unionOf } from "../../../value-types/union.ts";
import type { View } from "../place.ts";

/** Narrows a value's type by a known outcome of a test. */
export type Refine = (type: Type) => Type;

/** Returns the alternatives that pass, unchanged or narrowed. If none is narrowed, returns the same type object. */
export function refineView(type: Type, view: View, refine: Refine): Type {
  const alternatives = alternativesOf(type);
  const left = alternatives.map((alternative) => {
    const seen = refine(view.of(alternative));
    return seen.kind === "Never" ? never : view.back(alternative, seen);
  });
  const isWhole = left.every((each, index) => each === alternatives[index]);
  return isWhole ? type : unionOf(left);
}

/** Applies `refine` to the value at a path, or to null if there is none. Returns `Never` if nothing passes. */
export function refineAt(type: Type, path: readonly string[], refine: Refine): Type {
  const [name, ...rest] = path;
  if (name === undefined) return refine(type);
  return mapWhole(type, (alternative) => refineField(alternative, name, rest, refine));
}

/** Narrows the type to values that have something at a path, or have nothing there, as `.exists()` reveals. */
export function refinePresence(type: Type, path: readonly string[], isThere: boolean): Type {
  const [name, ...rest] = path;
  if (name === undefined) return isThere ? type : never;
  return mapWhole(type, (alternative) => {
    if (alternative.kind === "Unknown")
      return isThere && !isPosition(name) ? openWith(name, alternative) : alternative;
    if (alternative.kind === "Array") return isPosition(name) || !isThere ? alternative : never;
    if (alternative.kind !== "Object") return isThere ? never : alternative;
    return rest.length > 0
      ? presenceBelow(alternative, name, rest, isThere)
      : presenceIn(alternative, name, isThere);
  });
}

function presenceIn(object: ObjectType, name: string, isThere: boolean): Type {
  const field = object.fields.get(name);
  const type = field?.type ?? object.rest ?? never;
  if (isThere)
    return type.kind === "Never" ? never : withOwn(object, name, { ...field, type, required: true });
  if (field?.required === true) return never;
  return withOwn(object, name, { ...field, type: never, required: false });
}

function presenceBelow(object: ObjectType, name: string, rest: readonly string[], isThere: boolean): Type {
  const field = object.fields.get(name);
  if (field === undefined) return isThere && object.rest === undefined ? never : object;
  const type = refinePresence(field.type, rest, isThere);
  if (!isThere) return type.kind === "Never" && field.required ? never : object;
  return type.kind === "Never" ? never : withOwn(object, name, { ...field, type, required: true });
}

function refineField(alternative: Alternative, name: string, rest: readonly string[], refine: Refine): Type {
  const isNullKept = refineAt(nullType, rest, refine).kind !== "Never";
  switch (alternative.kind) {
    case "Unknown": {
      const type = isPosition(name) ? alternative : refineAt(alternative, rest, refine);
      // A value that is not null must be in an object; about all other values nothing is known.
      return isNullKept || isPosition(name) || type.kind === "Never" ? alternative : openWith(name, type);
    }
    case "Object":
      return refineOwn(alternative, name, rest, refine, isNullKept);
    case "Array":
      return alternative;
    default:
      return isNullKept ? alternative : never;
  }
}

function refineOwn(
  object: ObjectType,
  name: string,
  rest: readonly string[],
  refine: Refine,
  isNullKept: boolean,
): Type {
  const field = object.fields.get(name);
  const before = field?.type ?? object.rest ?? never;
  const type = before.kind === "Never" ? never : refineAt(before, rest, refine);
  const required = field?.required === true || !isNullKept;
  if (type.kind === "Never" && required) return never;
  if (field === undefined && !required && type === before) return object;
  if (field !== undefined && type === field.type && required === field.required) return object;
  return withOwn(object, name, { ...field, type, required });
}

/** Applies a change to each alternative; returns the same type object if none of them changes. */
function mapWhole(type: Type, change: (alternative: Alternative) => Type): Type {
  const alternatives = alternativesOf(type);
  const changed = alternatives.map(change);
  if (changed.every((each, index) => each === alternatives[index])) return type;
  const result = unionOf(changed);
  return membersOf(result).length === membersOf(type).length && sameType(result, type) ? type : result;
}

function openWith(name: string, type: Type): ObjectType {
  return withOwn(anyObject, name, { type, required: true });
}

function withOwn(object: ObjectType, name: string, field: Field): ObjectType {
  return { ...object, fields: new Map(object.fields).set(name, field) };
}

/** Whether a name is also valid in arrays, so that it does not show that the value is an object. */
function isPosition(name: string): boolean {
  return name === "*" || /^[+-]?[0-9]+$/.test(name);
}
