// Arithmetic on arrays of numbers.

import { MappingError } from "../errors.ts";
import { isArray, type Value } from "../message/value.ts";
import { float, numeric, toFloat } from "./numeric.ts";

/** `cosine_similarity(a, b)`: the vectors must have the same length, and must not be all zeros. */
export function cosineSimilarity(a: Value, b: Value): Value {
  const [left, right] = [vector(a), vector(b)];
  if (left.length !== right.length) throw new MappingError("vectors must be equal length");
  if (left.length === 0) throw new MappingError("vectors cannot be empty");
  const lengths = Math.sqrt(product(left, left)) * Math.sqrt(product(right, right));
  if (lengths === 0) throw new MappingError("vectors must not be null (all zeros)");
  return float(product(left, right) / lengths);
}

function vector(value: Value): readonly number[] {
  if (!isArray(value)) throw new MappingError("vector must be an array of numeric types");
  return value.map((element) => {
    const number = numeric(element);
    if (number === undefined) throw new MappingError("vector must be an array of numeric types");
    return toFloat(number);
  });
}

function product(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, number, index) => sum + number * (right[index] ?? 0), 0);
}
