// Names of value types: for `type()`, for error messages, and the type names of the reference engine.

import {
  deleted,
  isArray,
  isObject,
  nothing,
  SizedNumber,
  SourceNumber,
  Timestamp,
  type Value,
} from "../message/value.ts";
import { isFloat, isNumber, numeric } from "./numeric.ts";

/** The name of a value's type in the language and its error messages. */
export type TypeName =
  | "string"
  | "bytes"
  | "number"
  | "bool"
  | "timestamp"
  | "array"
  | "object"
  | "null"
  | "delete"
  | "nothing"
  | "unknown";

/** Returns the type of `value`. */
export function typeName(value: Value): TypeName {
  if (typeof value === "string") return "string";
  if (value === null) return "null";
  if (typeof value === "boolean") return "bool";
  if (isArray(value)) return "array";
  if (isObject(value)) return "object";
  if (isNumber(value)) return "number";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Timestamp) return "timestamp";
  if (value === deleted) return "delete";
  return value === nothing ? "nothing" : "unknown";
}

const nativeNames: { readonly [N in TypeName]: string } = {
  string: "string",
  bytes: "[]uint8",
  number: "float64",
  bool: "bool",
  timestamp: "time.Time",
  array: "[]interface {}",
  object: "map[string]interface {}",
  null: "<nil>",
  delete: "value.Delete",
  nothing: "value.Nothing",
  unknown: "unknown",
};

/** Returns the type's name in the implementation of the reference engine, which some of its error messages use. */
export function nativeTypeName(value: Value): string {
  const name = typeName(value);
  if (name !== "number") return nativeNames[name];
  if (value instanceof SourceNumber) return "json.Number";
  if (value instanceof SizedNumber) return value.numericKind();
  const number = numeric(value);
  if (number === undefined || isFloat(number)) return nativeNames.number;
  return typeof number === "object" ? "uint64" : "int64";
}
