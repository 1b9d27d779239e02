// Determines the type of the root after `root.a.b = value`, by the rules of `assignPath` in runtime/mapping/paths.ts.
// Changes nothing and returns a new type.

import { type Alternative, alternativesOf } from "./alternatives.ts";
import {
  anyObject,
  deletedType,
  type Field,
  never,
  type ObjectType,
  objectOf,
  type Type,
  unknown,
} from "./type.ts";
import { unionOf, without } from "./union.ts";

/**
 * Returns the type after a value of type `value` was assigned at `path`. Null on the path becomes an object. Values
 * that cannot have fields make the assignment fail, so they contribute nothing; `Never` means that it always fails. A
 * `value` that may be `deleted()` or `nothing()` may remove the field or leave everything unchanged. `span`: the place
 * where the fields on the path are written.
 */
export function withField(type: Type, path: readonly string[], value: Type, span?: Field["span"]): Type {
  const given = without(value, ({ kind }) => kind === "Deleted" || kind === "Nothing");
  const markers = new Set(alternativesOf(value).map(({ kind }) => kind));
  const results: Type[] = [];
  // The alternatives of a value stay together: one object with a field of either type, not two objects.
  if (given.kind !== "Never") results.push(set(type, path, given, span));
  if (markers.has("Deleted")) results.push(path.length === 0 ? deletedType : withoutField(type, path));
  if (markers.has("Nothing")) results.push(type);
  return unionOf(results);
}

/** Returns the type after `path` was deleted. A path that does not exist has no effect. */
export function withoutField(type: Type, path: readonly string[]): Type {
  const [name, ...rest] = path;
  if (name === undefined) return type;
  return unionOf(alternativesOf(type).map((alternative) => removeFrom(alternative, name, rest)));
}

function set(type: Type, path: readonly string[], value: Type, span: Field["span"]): Type {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  return unionOf(alternativesOf(type).map((alternative) => setIn(alternative, name, rest, value, span)));
}

/**
 * Whether the fields are not declared, so that an assignment to one says nothing about the others. Such objects are
 * recognised by fields without a span.
 */
export function isUndescribed({ rest, fields }: ObjectType): boolean {
  if (rest?.kind !== "Unknown") return false;
  for (const { span } of fields.values()) if (span !== undefined) return false;
  return true;
}

function setIn(
  alternative: Alternative,
  name: string,
  rest: readonly string[],
  value: Type,
  span: Field["span"],
): Type {
  switch (alternative.kind) {
    case "Unknown":
      // Arrays accept assignments to indexes only, so any other name shows that the value is an object.
      return /^(?:[+-]?[0-9]+|-)$/.test(name) ? unknown : setIn(anyObject, name, rest, value, span);
    case "Null":
      return setIn(objectOf([]), name, rest, value, span);
    case "Object": {
      const before = valueUnder(alternative, name);
      const type = set(before, rest, value, span);
      if (type.kind === "Never") return never;
      const written = isUndescribed(alternative) ? undefined : span;
      return withOwn(alternative, name, {
        type,
        required: true,
        ...(written === undefined ? {} : { span: written }),
      });
    }
    case "Array": {
      const before = name === "-" ? objectOf([]) : alternative.items;
      return { kind: "Array", items: unionOf([alternative.items, set(before, rest, value, span)]) };
    }
    default:
      return never;
  }
}

/** Returns the value at a name before an assignment. A missing value becomes an object if needed. */
function valueUnder(object: ObjectType, name: string): Type {
  const field = object.fields.get(name);
  if (field === undefined) return unionOf([object.rest ?? never, objectOf([])]);
  return field.required ? field.type : unionOf([field.type, objectOf([])]);
}

function removeFrom(alternative: Alternative, name: string, rest: readonly string[]): Type {
  if (alternative.kind === "Array") {
    return { kind: "Array", items: unionOf([alternative.items, withoutField(alternative.items, rest)]) };
  }
  if (alternative.kind !== "Object") return alternative;
  const field = alternative.fields.get(name);
  if (rest.length > 0) {
    if (field === undefined) return alternative;
    return withOwn(alternative, name, { ...field, type: withoutField(field.type, rest) });
  }
  if (field !== undefined && alternative.rest === undefined) {
    const fields = new Map(alternative.fields);
    fields.delete(name);
    return { ...alternative, fields };
  }
  // An object that accepts any field needs an explicit record that this one is absent.
  return alternative.rest === undefined
    ? alternative
    : withOwn(alternative, name, { type: never, required: false });
}

function withOwn(object: ObjectType, name: string, field: Field): ObjectType {
  return { ...object, fields: new Map(object.fields).set(name, field) };
}
