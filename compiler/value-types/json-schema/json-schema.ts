// JSON Schemas as data.

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };
