// Reads fields: the type of `value.name`, and whether the field is present. The rules are those of
// runtime/mapping/paths.ts: a read never fails, and a missing field is null.

import { type Alternative, alternativesOf } from "./alternatives.ts";
import { elementAt } from "./elements.ts";
import { type ArrayType, arrayOf, type Field, never, nullType, type Type, unknown } from "./type.ts";
import { unionOf } from "./union.ts";

/** The result of reading a field. */
export interface FieldRead {
  /** The type of the value that is read; includes null if the field may be missing. */
  readonly type: Type;
  /**
   * `present`: the value has the field. `maybe`: some values have it, or it is unknown. `absent`: none of the objects
   * and arrays can have it, and at least one exists, so the result is always null.
   */
  readonly presence: "present" | "maybe" | "absent";
  /** Whether at least one of the objects declares it, as opposed to accepting any field. */
  readonly declared: boolean;
  /** The first place where a person declared it. */
  readonly span?: Field["span"];
  /** The values that are neither objects nor arrays, whose fields all read as null. `Never` if there are none. */
  readonly fieldless: Type;
}

/** The contribution of one alternative. */
interface Part {
  readonly type: Type;
  readonly presence: FieldRead["presence"];
  readonly field?: Field;
}

/** Reads the field `name` of a value of `type`. On arrays the name is an index, or `*` for all elements. */
export function fieldOf(type: Type, name: string): FieldRead {
  const alternatives = alternativesOf(type);
  const parts = alternatives.map((alternative) => partOf(alternative, name));
  const holding = parts.filter((part) => part !== undefined);
  const declaring = holding.find(({ field }) => field !== undefined)?.field;
  const fieldless = unionOf(alternatives.filter((_, index) => parts[index] === undefined));
  return {
    type: unionOf(parts.map((part) => part?.type ?? nullType)),
    presence: presenceOf(holding, fieldless),
    declared: declaring !== undefined,
    ...(declaring?.span === undefined ? {} : { span: declaring.span }),
    fieldless,
  };
}

/** Returns the type of `value.a.b.c`. After a `*` the rest of the path is read from every element. */
export function typeAtPath(type: Type, segments: readonly string[]): Type {
  const [name, ...rest] = segments;
  if (name === undefined) return type;
  if (name !== "*" || rest.length === 0) return typeAtPath(fieldOf(type, name).type, rest);
  return unionOf(
    alternativesOf(type).map((alternative) => {
      if (alternative.kind !== "Array") return typeAtPath(fieldOf(alternative, name).type, rest);
      // Elements without the rest of the path are left out, and an empty result is null. A null that an element
      // contains is kept, and cannot be distinguished from a missing field.
      return unionOf([arrayOf(typeAtPath(alternative.items, rest)), nullType]);
    }),
  );
}

/** Returns the names that the objects in `type` declare, each once, in order. */
export function fieldNamesOf(type: Type): readonly string[] {
  const names = new Set<string>();
  for (const alternative of alternativesOf(type)) {
    if (alternative.kind === "Object") for (const name of alternative.fields.keys()) names.add(name);
  }
  return [...names];
}

/** Whether the objects in `type` can have only the fields that they declare. */
export function isClosed(type: Type): boolean {
  return alternativesOf(type).every(
    (alternative) =>
      alternative.kind !== "Unknown" && (alternative.kind !== "Object" || alternative.rest === undefined),
  );
}

function partOf(alternative: Alternative, name: string): Part | undefined {
  switch (alternative.kind) {
    case "Unknown":
      return { type: unknown, presence: "maybe" };
    case "Object": {
      const field = alternative.fields.get(name);
      if (field === undefined) return restPart(alternative.rest);
      if (field.type.kind === "Never") return restPart(undefined);
      if (field.required) return { type: field.type, presence: "present", field };
      return { type: unionOf([field.type, nullType]), presence: "maybe", field };
    }
    case "Array":
      return elementPart(alternative, name);
    default:
      return undefined;
  }
}

function restPart(rest: Type | undefined): Part {
  return rest === undefined
    ? { type: nullType, presence: "absent" }
    : { type: unionOf([rest, nullType]), presence: "maybe" };
}

function elementPart(array: ArrayType, name: string): Part {
  const { items } = array;
  const isIndex = /^[+-]?[0-9]+$/.test(name);
  if ((!isIndex && name !== "*") || items.kind === "Never") return { type: nullType, presence: "absent" };
  const read = isIndex ? elementAt(array, Number(name)) : arrayOf(items);
  return { type: unionOf([read, nullType]), presence: "maybe" };
}

function presenceOf(holding: readonly Part[], fieldless: Type): FieldRead["presence"] {
  if (holding.length === 0) return "maybe";
  if (holding.every(({ presence }) => presence === "absent")) return "absent";
  const always = fieldless.kind === "Never" && holding.every(({ presence }) => presence === "present");
  return always ? "present" : "maybe";
}

/** Returns a field that an object does not declare, by its `rest`; of type `Never` if such fields are not allowed. */
export function fieldFromRest(rest: Type | undefined): Field {
  return { type: rest ?? never, required: false };
}
