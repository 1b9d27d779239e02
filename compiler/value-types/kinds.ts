// Determines the possible results of `.type()` from a type, and narrows a type to a known result of `.type()`.

import { type Alternative, alternativesOf } from "./alternatives.ts";
import {
  anyObject,
  arrayOf,
  bool,
  bytes,
  deletedType,
  float,
  integer,
  nothingType,
  nullType,
  string,
  type Type,
  timestamp,
} from "./type.ts";
import { unionOf } from "./union.ts";

/** A result of `.type()`. */
export type Kind = (typeof kinds)[number];

/** All kinds. The last two occur only while a mapping runs, never in a message. */
export const kinds = [
  "null",
  "bool",
  "number",
  "string",
  "bytes",
  "timestamp",
  "array",
  "object",
  "delete",
  "nothing",
] as const;

/** The widest type of each kind. */
const widest: Readonly<Record<Kind, Type>> = {
  null: nullType,
  bool,
  number: unionOf([integer, float]),
  string,
  bytes,
  timestamp,
  array: arrayOf({ kind: "Unknown" }),
  object: anyObject,
  delete: deletedType,
  nothing: nothingType,
};

const kindNames: Readonly<Record<Exclude<Alternative["kind"], "Unknown" | "Never">, Kind>> = {
  Null: "null",
  Bool: "bool",
  Integer: "number",
  Float: "number",
  String: "string",
  Bytes: "bytes",
  Timestamp: "timestamp",
  Array: "array",
  Object: "object",
  Deleted: "delete",
  Nothing: "nothing",
};

/** Returns the possible results of `.type()`: every kind for `Unknown`, none for `Never`. */
export function kindsOf(type: Type): ReadonlySet<Kind> {
  const found = new Set<Kind>();
  for (const alternative of alternativesOf(type)) {
    if (alternative.kind === "Unknown") return new Set(kinds);
    if (alternative.kind !== "Never") found.add(kindNames[alternative.kind]);
  }
  return found;
}

/**
 * Returns the values of `type` that have one of these kinds. For `Unknown`, returns the widest types of all kinds
 * wanted.
 */
export function ofKinds(type: Type, wanted: Iterable<Kind>): Type {
  const names = new Set(wanted);
  return unionOf(
    alternativesOf(type).flatMap((alternative): Type[] => {
      if (alternative.kind === "Unknown") return Array.from(names, (name) => widest[name]);
      return alternative.kind !== "Never" && names.has(kindNames[alternative.kind]) ? [alternative] : [];
    }),
  );
}

/** Returns the values of `type` with none of these kinds. `Unknown` stays, because types cannot express exclusions. */
export function exceptKinds(type: Type, dropped: Iterable<Kind>): Type {
  const names = new Set(dropped);
  return unionOf(
    alternativesOf(type).filter(
      (alternative) =>
        alternative.kind === "Unknown" ||
        (alternative.kind !== "Never" && !names.has(kindNames[alternative.kind])),
    ),
  );
}

/** Whether a value of `type` may be null. True for `Unknown`. */
export function isNullable(type: Type): boolean {
  return kindsOf(type).has("null");
}
