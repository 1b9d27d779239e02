// Intersects two types, for `allOf` and for types that a condition narrows.

import { elementAt } from "./elements.ts";
import { fieldFromRest } from "./fields.ts";
import {
  type ArrayType,
  arrayOf,
  type Field,
  never,
  type ObjectType,
  type RecursiveType,
  recursive,
  type Type,
} from "./type.ts";
import { membersOf, sameType, unionOf } from "./union.ts";

/** The maximum number of combinations of two unions. Beyond it the first union is used, which is wider but small. */
const maximumCombinations = 256;

/** Results, so that recursive types terminate and shared parts stay shared. */
interface Memory {
  readonly objects: Map<ObjectType, Map<ObjectType, Type>>;
  readonly recursive: { readonly parts: ReadonlySet<Part>; readonly type: Type }[];
}

/**
 * Returns the type of the values that belong to both types. `Unknown` leaves the other type unchanged. Fields are
 * intersected one by one, and fields of both are kept. If a required field or the types themselves exclude each other,
 * the result is `Never`.
 */
export function intersect(a: Type, b: Type): Type {
  return meet(a, b, { objects: new Map(), recursive: [] });
}

function meet(a: Type, b: Type, memory: Memory): Type {
  if (a === b || b.kind === "Unknown") return a;
  if (a.kind === "Unknown") return b;
  if (a.kind === "Recursive" || b.kind === "Recursive") return meetLater(a, b, memory);
  if (a.kind !== "Union" && b.kind !== "Union") return meetPlain(a, b, memory);
  const left = membersOf(a);
  const right = membersOf(b);
  if (left.length * right.length > maximumCombinations) return a;
  return unionOf(left.flatMap((one) => right.map((other) => meet(one, other, memory))));
}

/**
 * The types that an intersection with a recursive type was made of. An intersection of the same ones is the same type,
 * also if it is reached in another order: otherwise types that include each other by `allOf` would have no end.
 */
const partsOfIntersections = new WeakMap<RecursiveType["unfold"], ReadonlySet<Part>>();

/** What identifies a type in an intersection. */
type Part = Type | RecursiveType["unfold"];

/** The maximum number of parts. Beyond it the first type is used, which is wider but small. */
const maximumParts = 16;

/** Intersects types lazily if one is recursive: it may still be under construction. */
function meetLater(a: Type, b: Type, memory: Memory): Type {
  if (sameType(a, b)) return a;
  const [ofA, ofB] = [partsOf(a), partsOf(b)];
  const parts = new Set([...ofA, ...ofB]);
  if (parts.size === ofA.size || parts.size > maximumParts) return a;
  if (parts.size === ofB.size) return b;
  const known = memory.recursive.find(
    (other) => other.parts.size === parts.size && [...parts].every((part) => other.parts.has(part)),
  );
  if (known !== undefined) return known.type;
  const name = [a, b].flatMap((type) => (type.kind === "Recursive" ? [type.name] : [])).join(" & ");
  const type = recursive(name, () => meet(inside(a), inside(b), memory));
  partsOfIntersections.set(type.unfold, parts);
  memory.recursive.push({ parts, type });
  return type;
}

function partsOf(type: Type): ReadonlySet<Part> {
  if (type.kind !== "Recursive") return new Set([type]);
  return partsOfIntersections.get(type.unfold) ?? new Set([type.unfold]);
}

function inside(type: Type): Type {
  return type.kind === "Recursive" ? type.unfold() : type;
}

function meetPlain(a: Type, b: Type, memory: Memory): Type {
  if (a.kind === "Object" && b.kind === "Object") {
    const known = memory.objects.get(a)?.get(b);
    if (known !== undefined) return known;
    const row = memory.objects.get(a) ?? new Map<ObjectType, Type>();
    const met = meetObjects(a, b, memory);
    memory.objects.set(a, row.set(b, met));
    return met;
  }
  if (a.kind === "Array" && b.kind === "Array") return meetArrays(a, b, memory);
  return a.kind === b.kind ? meetLiterals(a, b) : never;
}

function meetArrays(a: ArrayType, b: ArrayType, memory: Memory): Type {
  const array = arrayOf(meet(a.items, b.items, memory));
  const places = Math.max(a.first?.length ?? 0, b.first?.length ?? 0);
  if (places === 0) return array;
  const meetAt = (_: unknown, place: number) => meet(elementAt(a, place), elementAt(b, place), memory);
  return { ...array, first: Array.from({ length: places }, meetAt) };
}

function meetLiterals(a: Type, b: Type): Type {
  const valueOfA = "value" in a ? a.value : undefined;
  const valueOfB = "value" in b ? b.value : undefined;
  if (valueOfB === undefined) return a;
  if (valueOfA === undefined) return b;
  return valueOfA === valueOfB ? a : never;
}

function meetObjects(a: ObjectType, b: ObjectType, memory: Memory): Type {
  const rest = a.rest === undefined || b.rest === undefined ? undefined : meet(a.rest, b.rest, memory);
  const fields = new Map<string, Field>();
  for (const name of new Set([...a.fields.keys(), ...b.fields.keys()])) {
    const field = meetFields(a, b, name, memory);
    if (field.type.kind === "Never") {
      if (field.required) return never;
      // If no other fields are allowed, leaving out the field means that it cannot be present.
      if (rest === undefined) continue;
    }
    fields.set(name, field);
  }
  return { kind: "Object", fields, rest: rest?.kind === "Never" ? undefined : rest };
}

function meetFields(a: ObjectType, b: ObjectType, name: string, memory: Memory): Field {
  const one = a.fields.get(name) ?? fieldFromRest(a.rest);
  const other = b.fields.get(name) ?? fieldFromRest(b.rest);
  const span = one.span ?? other.span;
  const format = one.format ?? other.format;
  return {
    type: meet(one.type, other.type, memory),
    required: one.required || other.required,
    ...(span === undefined ? {} : { span }),
    ...(format === undefined ? {} : { format }),
  };
}
