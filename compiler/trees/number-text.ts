// Reads whole numbers with underscores between their digits, as YAML 1.1 and the reference engine do: `5_000_000`.

import type { Schema } from "../../schemas/schema.ts";
import type { ScalarNode } from "./document.ts";

/** Returns the value of a scalar in a field, or the number written with underscores if the field accepts numbers. */
export function meantValue({ value, span }: ScalarNode, schema: Schema): ScalarNode["value"] {
  if (typeof value !== "string" || !/^[-+]?\d+(?:_\d+)+$/.test(value)) return value;
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
  const takesNumbers = types.includes("integer") || types.includes("number");
  const isQuoted = /["']/.test(span.source.text.charAt(span.start - 1));
  if (!takesNumbers || types.includes("string") || isQuoted) return value;
  const number = BigInt(value.replaceAll("_", "").replace("+", ""));
  return Number.isSafeInteger(Number(number)) ? Number(number) : number;
}
