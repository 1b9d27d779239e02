// Where a configured value reads variables of a request.

import type { FieldNode, RequestPart } from "../../parse/document/api.ts";

/** Every `$gw_context.…` and `$gw_meta.…` in a value, those of components inside it left out. */
export function requestParts(field: FieldNode): readonly RequestPart[] {
  switch (field.kind) {
    case "Environment":
    case "Template":
      return field.parts.flatMap((part) => (part.kind === "Request" ? [part] : []));
    case "List":
      return field.items.flatMap(requestParts);
    case "Object":
      return field.fields.flatMap(({ value }) => requestParts(value));
    default:
      return [];
  }
}

/** The variable as documents write it. */
export function printVariable({ source, name }: Pick<RequestPart, "source" | "name">): string {
  return `$gw_${source}.${name}`;
}
