// Rules about the exporters of metrics and traces.

import type { Report } from "../../../diagnostics/sink.ts";
import type { SettingsModel } from "../../../model/settings.ts";
import { booleanOf } from "../../../model/written.ts";
import { spanOf } from "../../../source/source.ts";
import { findNode, findText, type MapNode } from "../../../trees/document.ts";

/** Reports a collector address that cannot be right, and an exporter that sends nothing. */
export function checkExporters({ exporters }: SettingsModel, report: Report): void {
  const { node: block, isOff } = exporters.opentelemetry ?? {};
  if (block?.kind !== "map" || isOff) return;
  if (isFalse(block, "metrics") && isFalse(block, "traces")) report("GW4242", block.span, {});
  checkAddress(block, report);
}

/** Checks the address of the collector. Addresses from the environment are known only when the gateway starts. */
function checkAddress(block: MapNode, report: Report): void {
  const node = findNode(block, "endpoint");
  const text = findText(node);
  if (node === undefined || text === undefined || text.includes("${")) return;
  const { source, start } = node.span;
  const at = source.text.indexOf(text, start);
  // An address with escapes or over several lines has a different text in the source.
  if (at === -1 || at > start + 1) return;
  const path = /\/v1\/(?:metrics|traces|logs)\/?$/.exec(text);
  if (path !== null) {
    report("GW4240", spanOf(source, at + path.index, at + text.length), { path: path[0] });
    return;
  }
  const port = /^https?:\/\/[^/?#]*:(?=4317(?:[/?#]|$))/.exec(text);
  if (port !== null) report("GW4241", spanOf(source, at + port[0].length, at + port[0].length + 4), {});
}

function isFalse(block: MapNode, field: string): boolean {
  return booleanOf(findNode(block, field)) === false;
}
