// Fields that do nothing unless others beside them say something certain: `x-only-with` of schemas.

import type { Schema } from "../../../../schemas/schema.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import type { ObjectField } from "../../../trees/api.ts";
import { findField } from "../../../trees/fields.ts";
import type { SchemedValue } from "../values.ts";

/** Reports each field of an object for which a field beside it has the wrong value. */
export function checkNeededValues({ value, schema }: SchemedValue, report: Report): void {
  if (value.kind !== "Object") return;
  for (const { name, nameSpan } of value.fields) {
    const needs = Object.entries(schema.properties?.[name]?.["x-only-with"] ?? {});
    const wrong = needs.find(([other, needed]) => differs(value, schema, other, needed));
    if (wrong !== undefined) report("GW4185", nameSpan, { field: name, other: wrong[0], needed: wrong[1] });
  }
}

/** Values that are known only when the gateway starts are looked at then. */
function differs(owner: ObjectField, schema: Schema, name: string, needed: unknown): boolean {
  const written = findField(owner, name);
  if (written === undefined) return schema.properties?.[name]?.default !== needed;
  return written.kind === "Literal" && written.value !== needed;
}
