import type { Schema } from "./schema.ts";

/**
 * Whether an empty text in an optional field is equivalent to omitting the field. That is so for scripts and labels,
 * whose default is an empty text in the reference engine, and for fields without a default that accept no empty text.
 */
export function isAbsentWhenEmpty(schema: Schema): boolean {
  return isNamed(schema) || (schema.default === undefined && refusesEmpty(schema));
}

function isNamed(schema: Schema): boolean {
  const text = schema["x-text"];
  return text === "mapping" || text === "query" || schema["x-resource"] !== undefined;
}

function refusesEmpty({ type, pattern, minLength = 0, ...schema }: Schema): boolean {
  if (type !== "string") return false;
  if (schema.enum !== undefined) return !schema.enum.includes("");
  if (schema["x-unit"] === "duration") return schema["x-empty"] !== true;
  return minLength > 0 || (pattern !== undefined && !new RegExp(pattern, "u").test(""));
}

/**
 * Whether the zero value of a type stands for a field that is not set, because the field accepts another value only:
 * `""` of a field with named values, 0 where the minimum is above, and `false` of a field that may only be true.
 */
export function refusesZero(schema: Schema, value: unknown): boolean {
  if (value === "") return refusesEmpty(schema);
  if (value === 0) return (schema.minimum ?? 0) > 0;
  const named: readonly unknown[] | undefined = schema.enum;
  return value === false && named?.includes(false) === false;
}
