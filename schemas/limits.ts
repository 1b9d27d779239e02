import type { FormatName } from "./formats/formats.ts";
import type { Schema } from "./schema.ts";

/** What a value has to meet besides its type, as far as a gateway can look when it starts. */
export type Limit =
  | { readonly kind: "OneOf"; readonly values: readonly (string | number)[] }
  | { readonly kind: "Between"; readonly minimum: number | undefined; readonly maximum: number | undefined }
  | { readonly kind: "Form"; readonly format: FormatName };

/** What a schema asks of a value, or of each item of a list; `undefined` for nothing. */
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
