// Finds the target of the `$ref` of a JSON Schema. Since OpenAPI 3.1 a schema may have other keywords beside it, which apply,
// too: a chain of references ends at the first schema that is more than a reference.

import { isAnnotation } from "../value-types/json-schema/json-schema.ts";
import type { References } from "./api.ts";
import type { DocumentNode } from "./document.ts";

/** Returns the schema that the `$ref` of `schema` leads to; `undefined` if it has no reference, or no target. */
export function findSchemaTarget(schema: DocumentNode, references: References): DocumentNode | undefined {
  const end = references.resolve(schema);
  // Chains without an end are reported.
  if (end === undefined || end === schema) return undefined;
  let at = references.follow(schema);
  while (at !== undefined && at !== end && isOnlyReference(at)) at = references.follow(at);
  return at;
}

/** Whether a schema consists of a reference and annotations. */
export function isOnlyReference(schema: DocumentNode): boolean {
  return schema.kind === "map" && schema.entries.every(({ key }) => key === "$ref" || isAnnotation(key));
}
