// Inputs and outputs made of others: what they drop, wait for, or serve twice.

import { findSchema } from "../../../../schemas/catalogue.ts";
import type { Schema } from "../../../../schemas/schema.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode, FieldNode } from "../../../parse/document/api.ts";
import { whyNotRe2 } from "../../regexp.ts";
import { endsWithin, findField, findKey, literalText, servesClients } from "../components.ts";
import { reportVariablesInPattern } from "../request-parts.ts";

/** Reports what is wrong with one of them by itself. */
export function checkComposites(component: ComponentNode, report: Report): void {
  const { role, name, config } = component;
  if (role !== "input" && role !== "output") return;
  if (role === "output" && name === "switch") checkSwitch(component, report);
  if (name === "broker") checkCopies(component, report);
  if (name === "drop_on") checkDropOn(component, report);
  checkBatching(config, findSchema(role, name), report);
}

/** A `switch` that lets messages fall through all of its cases, unless it says what becomes of them. */
function checkSwitch({ config, nameSpan }: ComponentNode, report: Report): void {
  const cases = findField(config, "cases")?.value;
  if (cases?.kind !== "List" || isTrue(findField(config, "strict_mode")?.value)) return;
  const takesAll = cases.items.some((each) => each.kind === "Object" && !findField(each, "check"));
  if (!takesAll) report("GW4120", nameSpan, {});
}

function checkCopies(component: ComponentNode, report: Report): void {
  const copies = findField(component.config, "copies");
  if (copies?.value.kind !== "Literal" || Number(copies.value.value) <= 1) return;
  const endpoint = endsWithin(component).find(servesClients);
  if (endpoint !== undefined) report("GW4125", copies.nameSpan, { endpoint: endpoint.name });
}

const conditions = ["error", "error_patterns", "back_pressure"] as const;

function checkDropOn(component: ComponentNode, report: Report): void {
  const isConditional = conditions.some((name) => findKey(component, name) !== undefined);
  if (!isConditional) report("GW4033", component.nameSpan, { field: "drop_on", needs: conditions });
  const patterns = findField(component.config, "error_patterns")?.value;
  for (const item of patterns?.kind === "List" ? patterns.items : []) {
    reportVariablesInPattern(item, "error_patterns", report);
    const pattern = literalText(item);
    const reason = pattern === undefined ? undefined : whyNotRe2(pattern);
    if (pattern !== undefined && reason !== undefined) report("GW4127", item.span, { pattern, reason });
  }
}

const limits = ["count", "byte_size", "check"] as const;

/** Batches that only further messages complete, wherever the component collects some. */
function checkBatching(config: FieldNode, schema: Schema | undefined, report: Report): void {
  for (const [name, { title }] of Object.entries(schema?.properties ?? {})) {
    if (title !== "Batching") continue;
    const policy = findField(config, name)?.value;
    const period = findField(policy, "period")?.value;
    if (period !== undefined && (period.kind !== "Duration" || period.milliseconds > 0)) continue;
    const limit = limits.map((each) => findField(policy, each)).find((each) => each && isLimit(each.value));
    if (limit !== undefined) report("GW4121", limit.nameSpan, { field: limit.name });
  }
}

/** One message at a time is complete at once. */
function isLimit(value: FieldNode): boolean {
  return value.kind !== "Literal" || Number(value.value) > 1;
}

function isTrue(value: FieldNode | undefined): boolean {
  return value?.kind === "Literal" && value.value === true;
}
