// Describes the values of a field in words, for the reference, `sluice explain` and editors.

import type { Schema } from "./schema.ts";

/** Returns the type of a field in a word or two. */
export function fieldType(schema: Schema): string {
  const text = schema["x-text"];
  if (text === "interpolated") return "text with queries";
  if (text !== undefined) return text;
  if (schema["x-unit"] === "duration")
    return schema["x-resource"] === undefined ? "duration" : "duration or label";
  if (schema["x-resource"] !== undefined) return "label";
  if (schema["x-component"] !== undefined) return schema["x-component"];
  if (schema.items !== undefined) return `list of ${fieldType(schema.items)}`;
  const types = [schema.type ?? "any"].flat();
  return types.map((type) => (type === "array" ? "list" : type === "string" ? "text" : type)).join(" or ");
}

/** Returns further notes about the values of a field. */
export function fieldNotes(schema: Schema): readonly string[] {
  const listed = (values: readonly unknown[]) => values.map((each) => `\`${each}\``).join(", ");
  const { enum: known, "x-supported": supported } = schema;
  return [
    ...(known === undefined ? [] : [`One of ${listed(known)}.`]),
    ...(supported === undefined ? [] : [`Supported yet: ${listed(supported)}.`]),
    ...(schema["x-reserved"] === true ? ["No effect yet."] : []),
  ];
}
