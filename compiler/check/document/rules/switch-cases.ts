// Cases of the `switch` processor that do nothing, or fall through to nothing.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode, FieldNode } from "../../../parse/document/api.ts";
import { findField } from "../components.ts";

/** Reports cases without processors and a last case that falls through. */
export function checkSwitchCases({ name, role, config }: ComponentNode, report: Report): void {
  if (name !== "switch" || role !== "processor") return;
  const cases = findField(config, "cases")?.value;
  if (cases?.kind !== "List") return;
  for (const [index, each] of cases.items.entries()) {
    checkCase(each, index === cases.items.length - 1, report);
  }
}

function checkCase(each: FieldNode, isLast: boolean, report: Report): void {
  const falling = findField(each, "fallthrough");
  const fallsThrough = falling?.value.kind === "Literal" && falling.value.value === true;
  if (fallsThrough && isLast) report("GW4036", falling.value.span, {});
  const processors = findField(each, "processors");
  const isEmpty = processors === undefined || isEmptyList(processors.value);
  if (!isEmpty || fallsThrough || each.kind !== "Object") return;
  const place = processors?.nameSpan ?? each.fields[0]?.nameSpan ?? each.span;
  report("GW4035", place, {});
}

/** Unread processors were reported; their list has a span but no items. */
function isEmptyList(value: FieldNode): boolean {
  return value.kind === "List" && value.items.length === 0 && value.span.end - value.span.start <= 2;
}
