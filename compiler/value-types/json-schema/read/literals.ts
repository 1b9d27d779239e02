// Reads the values of `enum` and `const`, and the names of `type`, as types.

import {
  anyObject,
  arrayOf,
  bool,
  float,
  integer,
  nullType,
  objectOf,
  string,
  type Type,
  unknown,
} from "../../type.ts";
import { unionOf } from "../../union.ts";

/** Returns the type of one JSON value. Elements of a list are not distinguished by place. */
export function typeOfValue(value: unknown): Type {
  switch (typeof value) {
    case "string":
      return { kind: "String", value };
    case "boolean":
      return { kind: "Bool", value };
    case "bigint":
      return { kind: "Integer", value };
    case "number":
      return Number.isInteger(value) ? { kind: "Integer", value: BigInt(value) } : float;
    case "object":
      if (value === null) return nullType;
      if (Array.isArray(value)) return arrayOf(unionOf(value.map(typeOfValue)));
      return objectOf(Object.entries(value).map(([name, field]) => [name, typeOfValue(field)] as const));
    default:
      return unknown;
  }
}

const byName: ReadonlyMap<unknown, Type> = new Map<unknown, Type>([
  ["null", nullType],
  ["boolean", bool],
  ["integer", integer],
  ["number", unionOf([integer, float])],
  ["string", string],
  ["array", arrayOf(unknown)],
  ["object", anyObject],
]);

/** Returns the type for one or several names of `type`. An invalid name results in `Unknown`. */
export function typeOfNames(names: unknown): Type {
  return unionOf((Array.isArray(names) ? names : [names]).map((name) => byName.get(name) ?? unknown));
}
