import type { FormatName } from "./formats/formats.ts";
import type { Schema } from "./schema.ts";

/** A constraint on a value in addition to its type, which a gateway checks at startup. */
export type Limit =
  | { readonly kind: "OneOf"; readonly values: readonly (string | number)[] }
  | { readonly kind: "Between"; readonly minimum: number | undefined; readonly maximum: number | undefined }
  | { readonly kind: "Form"; readonly format: FormatName };

/** Returns the constraint of a schema on a value, or on each item of a list; `undefined` if there is none. */
export function limitOf(schema: Schema): Limit | undefined {
  const { minimum, maximum, enum: known, items } = schema;
  if (schema["x-unit"] !== undefined) return undefined;
  const values = schema["x-supported"] ?? known;
  if (values?.every(isTextOrNumber)) return { kind: "OneOf", values };
  if (minimum !== undefined || maximum !== undefined) return { kind: "Between", minimum, maximum };
  const format = schema["x-format"];
  if (format !== undefined) return { kind: "Form", format };
  return items === undefined ? undefined : limitOf(items);
}

function isTextOrNumber(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}
