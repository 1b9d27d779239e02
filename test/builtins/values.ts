// Compares values with types: finds the type of a value, and whether a type contains it.

import { namedTypes } from "../../compiler/builtins/accepted.ts";
import { alternativesOf } from "../../compiler/value-types/alternatives.ts";
import {
  arrayOf,
  bytes,
  deletedType,
  type Field,
  float,
  integer,
  nothingType,
  nullType,
  type ObjectType,
  objectOf,
  string,
  type Type,
  timestamp,
  unknown,
} from "../../compiler/value-types/type.ts";
import { unionOf } from "../../compiler/value-types/union.ts";
import { isNumber, numeric, toFloat } from "../../runtime/mapping/numeric.ts";
import { deleted, isArray, isObject, nothing, Timestamp, type Value } from "../../runtime/message/value.ts";

/** Whether `value` is one of the values of `type`. */
export function contains(type: Type, value: Value): boolean {
  return alternativesOf(type).some((alternative) => {
    switch (alternative.kind) {
      case "Unknown":
        return true;
      case "Null":
        return value === null;
      case "Bool":
        return typeof value === "boolean" && isLiteral(alternative.value, value);
      case "Integer":
        return isNumber(value) && isWhole(value) && isLiteral(alternative.value, BigInt(toNumber(value)));
      case "Float":
        return isNumber(value);
      case "String":
        return typeof value === "string" && isLiteral(alternative.value, value);
      case "Bytes":
        return value instanceof Uint8Array;
      case "Timestamp":
        return value instanceof Timestamp;
      case "Array":
        return isArray(value) && value.every((element) => contains(alternative.items, element));
      case "Object":
        return isObject(value) && containsObject(alternative, value);
      case "Deleted":
        return value === deleted;
      case "Nothing":
        return value === nothing;
      default:
        return false;
    }
  });
}

function containsObject({ fields, rest }: ObjectType, value: { readonly [key: string]: Value }): boolean {
  const missing = [...fields].filter(([name, { required }]) => required && !Object.hasOwn(value, name));
  const unfit = Object.entries(value).filter(([name, each]) => {
    const type = fields.get(name)?.type ?? rest;
    return type === undefined || !contains(type, each);
  });
  return missing.length === 0 && unfit.length === 0;
}

function isLiteral<T>(literal: T | undefined, value: T): boolean {
  return literal === undefined || literal === value;
}

function isWhole(value: Value): boolean {
  return Number.isInteger(toNumber(value));
}

function toNumber(value: Value): number {
  const number = numeric(value);
  return number === undefined ? Number.NaN : toFloat(number);
}

/** Returns the narrowest type of a value: literals, exact fields. */
export function exactType(value: Value): Type {
  if (value === null) return nullType;
  if (typeof value === "string") return { kind: "String", value };
  if (typeof value === "boolean") return { kind: "Bool", value };
  // A schema only knows that other numbers are integers, but not how they are stored.
  if (typeof value === "number" && Number.isInteger(value)) return { kind: "Integer", value: BigInt(value) };
  if (isNumber(value)) return isWhole(value) ? integer : float;
  if (value instanceof Uint8Array) return bytes;
  if (value instanceof Timestamp) return timestamp;
  if (isArray(value)) return arrayOf(unionOf(value.map(exactType)));
  if (isObject(value)) return objectOf(Object.entries(value).map(([name, each]) => [name, exactType(each)]));
  return value === deleted ? deletedType : nothingType;
}

/** Returns the type as a schema would declare it: no literals, one number type, optional fields, additional ones allowed. */
export function looseType(value: Value): Type {
  if (typeof value === "string") return string;
  if (typeof value === "boolean") return { kind: "Bool" };
  if (isNumber(value)) return namedTypes.number;
  if (isArray(value)) return arrayOf(unionOf(value.map(looseType)));
  if (!isObject(value)) return exactType(value);
  const fields = Object.entries(value).map(([name, each]): [string, Field] => [
    name,
    { type: looseType(each), required: false },
  ]);
  return { kind: "Object", fields: new Map(fields), rest: unknown };
}

/** Returns the name of the kind of a value, as the catalogue lists targets. */
export function kindOf(value: Value): keyof typeof namedTypes {
  if (isNumber(value)) return "number";
  const names = ["string", "bytes", "bool", "timestamp", "array", "object", "null"] as const;
  return names.find((name) => contains(namedTypes[name], value)) ?? "any";
}
