// Where a configured value reads variables of a request.

import type { FieldNode, RequestPart } from "../../parse/document/api.ts";
import { innerFields } from "../../parse/document/fields-of.ts";

/** Every `$gw_context.…` and `$gw_meta.…` in a value, those of components inside it left out. */
export function requestParts(field: FieldNode): readonly RequestPart[] {
  if (field.kind === "Environment" || field.kind === "Template") {
    return field.parts.flatMap((part) => (part.kind === "Request" ? [part] : []));
  }
  return innerFields(field).flatMap(requestParts);
}

/** The variable as documents write it. */
export function printVariable({ source, name }: Pick<RequestPart, "source" | "name">): string {
  return `$gw_${source}.${name}`;
}
