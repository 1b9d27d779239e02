// Inputs whose clients may choose what they read by wildcards.

import { literalForms } from "../../../../schemas/formats/formats.ts";
import type { Schema } from "../../../../schemas/schema.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import { findField } from "../../../trees/fields.ts";
import { printVariable } from "../../../trees/named-variables.ts";
import { requestParts } from "../request-parts.ts";

/** Warns of `allow_wildcards: true`: of whose values it lifts the limits, or that there are none. */
export function checkWildcards({ name, config, descriptor }: ComponentNode, report: Report): void {
  const allowed = findField(config, "allow_wildcards");
  if (allowed?.kind !== "Literal" || allowed.value !== true || config.kind !== "Object") return;
  const properties = descriptor?.schema.properties ?? {};
  const parts = config.fields
    .filter((field) => takesPattern(properties[field.name]))
    .flatMap((field) => requestParts(field.value));
  const variables = [...new Set(parts.map(printVariable))];
  if (variables.length > 0) report("GW4300", allowed.span, { variables, name });
  else report("GW4301", allowed.span, { name });
}

function takesPattern(schema: Schema | undefined): boolean {
  if (schema === undefined) return false;
  const format = schema["x-format"];
  if (format !== undefined && literalForms[format] !== undefined) return true;
  return takesPattern(schema.items) || Object.values(schema.properties ?? {}).some(takesPattern);
}
