// Branches of a `workflow`: `order` names each of them once, and without it an order follows from their mappings.

import type { Report } from "../../../diagnostics/sink.ts";
import { nearest } from "../../../diagnostics/suggest.ts";
import { branchNames, orderBranches } from "../../../model/branch-order.ts";
import type { ComponentNode, FieldNode } from "../../../trees/api.ts";
import { findNamedField, literalText } from "../../../trees/fields.ts";

/** Reports an order that leaves a branch out, names one twice or one that is not there, and circles. */
export function checkWorkflow(component: ComponentNode, report: Report): void {
  const { config, nameSpan } = component;
  const order = findNamedField(config, "order");
  const named = order === undefined ? [] : namesIn(order.value);
  if (order !== undefined && named.length > 0) {
    checkOrder(named, branchNames(config), order.nameSpan, report);
    return;
  }
  const derived = orderBranches(config);
  if ("circular" in derived) report("GW4154", nameSpan, { names: derived.circular });
}

type NamedBranch = { readonly name: string; readonly span: FieldNode["span"] };

function checkOrder(
  named: readonly NamedBranch[],
  branches: readonly string[],
  orderSpan: FieldNode["span"],
  report: Report,
): void {
  const seen = new Map<string, NamedBranch>();
  // A branch under a misspelt name is one mistake.
  const meant = new Set<string | undefined>();
  for (const each of named) {
    const { name, span } = each;
    const first = seen.get(name);
    if (!branches.includes(name)) {
      const closest = nearest(name, branches);
      meant.add(closest.closest);
      report("GW4151", span, { name, ...closest });
    } else if (first !== undefined) {
      report("GW4153", span, { name }, { span: first.span, message: "It is named here, too." });
    }
    seen.set(name, each);
  }
  for (const name of branches) if (!seen.has(name) && !meant.has(name)) report("GW4152", orderSpan, { name });
}

function namesIn(value: FieldNode): readonly NamedBranch[] {
  if (value.kind === "List") return value.items.flatMap(namesIn);
  const name = literalText(value);
  return name === undefined ? [] : [{ name, span: value.span }];
}
