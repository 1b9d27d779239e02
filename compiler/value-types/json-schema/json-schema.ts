// JSON Schemas as data.

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** Whether a keyword only describes a schema, and restricts no value. */
export function isAnnotation(keyword: string): boolean {
  return annotations.test(keyword);
}

const annotations =
  /^(?:\$comment|default|deprecated|description|examples?|externalDocs|readOnly|summary|title|writeOnly|x-.*|xml)$/;
