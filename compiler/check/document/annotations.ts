// What our own annotations say about values whose shape is right: fields without effect yet, values not
// supported yet, values that have to be known when the gateway is built.

import type { Report } from "../../diagnostics/sink.ts";
import { findNode } from "../../trees/document.ts";
import { isTooLate, type LocatedValue, type ValuePlace } from "./located-value.ts";

/** Reports on every place of a value but those in `failed`, about which something was said already. */
export function reportAnnotations(located: LocatedValue, failed: ReadonlySet<string>, report: Report): void {
  for (const [pointer, place] of located.places) {
    if (!failed.has(pointer)) reportPlace(place, report);
  }
}

function reportPlace(place: ValuePlace, report: Report): void {
  const { schema, node, name, nameSpan, environment } = place;
  if (schema["x-reserved"] && !asksForNothing(place)) report("GW4018", nameSpan, { field: name });
  if (isTooLate(place)) report("GW4026", node.span, { field: name });
  const supported = schema["x-supported"];
  if (supported === undefined || node.kind !== "scalar" || environment !== undefined) return;
  if (supported.some((value) => value === node.value)) return;
  const value = String(node.value);
  report("GW4017", node.span, { field: name, value, supported: supported.map(String) });
}

/** What the gateway does anyway: the default, or a block that is switched off. */
function asksForNothing({ schema, node }: ValuePlace): boolean {
  if (node.kind === "scalar") return schema.default !== undefined && node.value === schema.default;
  const enabled = findNode(node, "enabled");
  return enabled?.kind === "scalar" && enabled.value === false;
}
