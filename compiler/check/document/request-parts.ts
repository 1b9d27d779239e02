// Where a configured value reads variables of a request.

import type { Report } from "../../diagnostics/sink.ts";
import type { FieldNode } from "../../trees/api.ts";
import { innerFields } from "../../trees/fields.ts";
import { printVariable, type RequestPart } from "../../trees/named-variables.ts";

/** Every `$gw_context.…` and `$gw_meta.…` in a value, those of components and scripts inside it left out. */
export function requestParts(field: FieldNode): readonly RequestPart[] {
  if (field.kind === "Environment" || field.kind === "Template") {
    return field.parts.flatMap((part) => (part.kind === "Request" ? [part] : []));
  }
  return innerFields(field).flatMap(requestParts);
}

/** A value of a request is a value: in a regular expression it would be read as a part of the pattern. */
export function reportVariablesInPattern(value: FieldNode, field: string, report: Report): void {
  for (const part of requestParts(value)) report("GW4382", part.span, { name: printVariable(part), field });
}
