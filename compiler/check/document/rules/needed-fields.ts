// Fields that do nothing without others beside them: `x-needs`, `x-one-of` and `enabled` of schemas.

import type { Schema } from "../../../../schemas/schema.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { isMeant } from "../../../model/components.ts";
import type { ObjectField } from "../../../trees/api.ts";
import type { NamedField } from "../../../trees/fields.ts";
import { findField, findNamedField } from "../../../trees/fields.ts";
import type { SchemedValue } from "../values.ts";

/** Reports what an object lacks for the fields it has to work. */
export function checkNeededFields({ name, nameSpan, value, schema }: SchemedValue, report: Report): void {
  if (value.kind !== "Object" || isOff(value, schema)) return;
  for (const field of value.fields) checkNeeds(field, value, schema, report);
  const choice = schema["x-one-of"] ?? [];
  const isTold = (other: string) => isMeant(value, other, schema);
  if (choice.length > 0 && !choice.some((other) => isThere(findNamedField(value, other)) || isTold(other))) {
    report("GW4171", nameSpan, { owner: name, fields: choice });
  }
  const isSwitched =
    schema["x-switched"] === true &&
    schema["x-protection"] === undefined &&
    findNamedField(value, "enabled") === undefined;
  if (isSwitched && value.fields.length > 0) report("GW4172", nameSpan, { block: name });
}

/** A block with `enabled: false` does nothing, so it needs nothing. */
function isOff(block: ObjectField, schema: Schema): boolean {
  if (schema.properties?.enabled?.type !== "boolean") return false;
  const enabled = findField(block, "enabled");
  return enabled?.kind === "Literal" && enabled.value === false;
}

function checkNeeds(field: NamedField, owner: ObjectField, schema: Schema, report: Report): void {
  const needs = schema.properties?.[field.name]?.["x-needs"] ?? [];
  const isTold = (other: string) => isMeant(owner, other, schema);
  const missing = needs.filter((other) => !isThere(findNamedField(owner, other)) && !isTold(other));
  if (missing.length > 0 && isThere(field)) report("GW4170", field.nameSpan, { field: field.name, missing });
}

/** An empty text says as little as an absent field, and `false` asks for nothing. */
function isThere(field: NamedField | undefined): boolean {
  if (field === undefined) return false;
  return !(field.value.kind === "Literal" && (field.value.value === "" || field.value.value === false));
}
