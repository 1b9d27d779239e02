// Inputs and outputs made of others: what they drop, wait for, or serve twice.

import type { Schema } from "../../../../schemas/schema.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { endsWithin, findKey, servesClients } from "../../../model/components.ts";
import type { ComponentNode, FieldNode } from "../../../trees/api.ts";
import { findField, findNamedField, literalText } from "../../../trees/fields.ts";
import { whyNotRe2 } from "../../regexp.ts";
import { reportVariablesInPattern } from "../request-parts.ts";

/** Reports batches of an input or output that only further messages complete. */
export function checkBatchingPolicies({ role, config, descriptor }: ComponentNode, report: Report): void {
  if (role === "input" || role === "output") checkBatching(config, descriptor?.schema, report);
}

/** Reports cases that let messages fall through all of them, unless the output says what becomes of those. */
export function checkFallingThrough({ config, nameSpan }: ComponentNode, report: Report): void {
  const cases = findField(config, "cases");
  if (cases?.kind !== "List" || isTrue(findField(config, "strict_mode"))) return;
  const takesAll = cases.items.some((each) => each.kind === "Object" && !findNamedField(each, "check"));
  if (!takesAll) report("GW4120", nameSpan, {});
}

/** Reports copies of an endpoint, which can be there only once. */
export function checkCopiedEndpoints(component: ComponentNode, report: Report): void {
  const copies = findNamedField(component.config, "copies");
  if (copies?.value.kind !== "Literal" || Number(copies.value.value) <= 1) return;
  const endpoint = endsWithin(component).find(servesClients);
  if (endpoint !== undefined) report("GW4125", copies.nameSpan, { endpoint: endpoint.name });
}

const conditions = ["error", "error_patterns", "back_pressure"] as const;

/** Reports an output that drops nothing, and patterns that cannot be read. */
export function checkDropConditions(component: ComponentNode, report: Report): void {
  const isConditional = conditions.some((name) => findKey(component, name) !== undefined);
  if (!isConditional) report("GW4033", component.nameSpan, { field: component.name, needs: conditions });
  const patterns = findField(component.config, "error_patterns");
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
    const policy = findField(config, name);
    const period = findField(policy, "period");
    if (period !== undefined && (period.kind !== "Duration" || period.milliseconds > 0)) continue;
    const limit = limits
      .map((each) => findNamedField(policy, each))
      .find((each) => each && isLimit(each.value));
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
