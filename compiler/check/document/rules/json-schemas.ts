// The schema of `json_schema`: it is JSON, a schema, and refers to nothing but itself.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import { findField, literalText } from "../../../trees/fields.ts";
import { findSchemaFault } from "../../schema-texts.ts";

/** Reports a schema that no message could be held against. */
export function checkJsonSchema(component: ComponentNode, report: Report): void {
  const value = findField(component.config, "schema");
  const text = literalText(value);
  if (value === undefined || text === undefined || text === "") return;
  const reason = findSchemaFault(text);
  if (reason !== undefined) report("GW4150", value.span, { reason });
}
