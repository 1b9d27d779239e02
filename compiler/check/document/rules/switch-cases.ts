// Cases of the `switch` processor that do nothing, or fall through to nothing.

import { switchProcessor } from "../../../../schemas/processors/switch.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { writtenValue } from "../../../model/components.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import { type DocumentNode, findEntry, findNode, type MapNode } from "../../../trees/document.ts";

const caseFields = Object.keys(switchProcessor.schema.properties?.cases?.items?.properties ?? {});

/** Reports cases without processors and a last case that falls through. */
export function checkSwitchCases(component: ComponentNode, report: Report): void {
  const cases = casesOf(writtenValue(component));
  for (const [index, each] of cases.entries()) {
    if (each.kind === "map") checkCase(each, index === cases.length - 1, report);
  }
}

/** The cases in either spelling. */
function casesOf(value: DocumentNode | undefined): readonly DocumentNode[] {
  const list = value?.kind === "list" ? value : findNode(value, "cases");
  return list?.kind === "list" ? list.items : [];
}

function checkCase(each: MapNode, isLast: boolean, report: Report): void {
  const falling = findNode(each, "fallthrough");
  const fallsThrough = falling?.kind === "scalar" && falling.value === true;
  if (fallsThrough && isLast) report("GW4036", falling.span, {});
  // A misspelt `processors` is a mistake of its own.
  if (fallsThrough || each.entries.some(({ key }) => !caseFields.includes(key))) return;
  const processors = findEntry(each, "processors");
  if (processors !== undefined && !isEmptyList(processors.value)) return;
  report("GW4035", processors?.keySpan ?? each.entries[0]?.keySpan ?? each.span, {});
}

function isEmptyList(node: DocumentNode): boolean {
  return node.kind === "list" && node.items.length === 0;
}
