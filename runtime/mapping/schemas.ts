// Infers schemas from values.

import { MappingError } from "../errors.ts";
import {
  isArray,
  isObject,
  type ObjectValue,
  SizedNumber,
  Timestamp,
  Unsigned,
  type Value,
} from "../message/value.ts";
import { compareUtf8 } from "../text/utf8.ts";
import { nativeTypeName } from "./kinds.ts";
import { isFloat, numeric } from "./numeric.ts";

/** `.infer_schema()`: infers the types of fields and elements, and marks all fields as required. */
export function inferSchema(target: Value, _from: string): ObjectValue {
  return describe(target, "", "");
}

function describe(value: Value, name: string, path: string): ObjectValue {
  const named = name === "" ? {} : { name };
  if (isArray(value)) return { ...named, ...describeArray(value, path) };
  if (isObject(value)) {
    const keys = Object.keys(value).sort(compareUtf8);
    const children = keys.map((key) => describe(value[key] ?? null, key, `${path}.${key}`));
    return { ...named, type: "OBJECT", ...(children.length === 0 ? {} : { children }) };
  }
  const type = scalarType(value);
  if (type !== undefined) return { ...named, type };
  throw new MappingError(`${path} unsupported data type: ${nativeTypeName(value)}`);
}

/** The first element determines the type. The others must have the same type. */
function describeArray(elements: readonly Value[], path: string): ObjectValue {
  const children: ObjectValue[] = [];
  for (const [index, element] of elements.entries()) {
    const child = describe(element, "", `${path}.${index}`);
    const [first = child] = children;
    if (first === child) children.push(child);
    else if (first.type !== child.type)
      throw new MappingError(
        `${path}.${index} mismatched array types, found ${first.type} and ${child.type}`,
      );
  }
  return { type: "ARRAY", ...(children.length === 0 ? {} : { children }) };
}

const sized: Readonly<Record<string, string>> = { int32: "INT32", float32: "FLOAT32" };

function scalarType(value: Value): string | undefined {
  if (value === null) return "NULL";
  if (typeof value === "boolean") return "BOOLEAN";
  if (typeof value === "string") return "STRING";
  if (value instanceof Uint8Array) return "BYTE_ARRAY";
  if (value instanceof Timestamp) return "TIMESTAMP";
  if (value instanceof SizedNumber) return sized[value.numericKind()];
  // The reference engine does not support numbers that keep their text. Here they have the type that they convert to.
  const number = numeric(value);
  if (number === undefined || number instanceof Unsigned) return undefined;
  return isFloat(number) ? "FLOAT64" : "INT64";
}
