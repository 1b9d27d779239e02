// Limits of an API that let everything through.

import type { Report } from "../../../diagnostics/sink.ts";
import { isSwitchedOff } from "../../../model/protection-blocks.ts";
import type { ApiDocument } from "../../../trees/api.ts";
import { type DocumentNode, findNode } from "../../../trees/document.ts";

/** Reports rates and sizes without a number, rates of any number, and rates that the API passes over. */
export function checkLimits({ gateway }: ApiDocument, report: Report): void {
  const all = findNode(gateway, "middleware", "global");
  const rate = findNode(gateway, "upstream", "rateLimit");
  const size = findNode(all, "requestSizeLimit");
  reportIdle("rateLimit", rate, whyNoRate(rate, all), report);
  reportIncomplete("rateLimit", rate, ["rate", "per"], report);
  reportIncomplete("requestSizeLimit", size, ["value"], report);
}

function whyNoRate(rate: DocumentNode | undefined, all: DocumentNode | undefined): string | undefined {
  if (rate === undefined) return undefined;
  if (scalarOf(findNode(rate, "rate")) === 0) return "a `rate` of 0 is unlimited";
  return scalarOf(findNode(all, "skipRateLimit")) === true ? "`skipRateLimit` disables it" : undefined;
}

/** A limit without its numbers would be none; what was left open altogether is reported as that. */
function reportIncomplete(
  field: string,
  block: DocumentNode | undefined,
  needed: readonly string[],
  report: Report,
): void {
  if (block?.kind !== "map" || block.entries.length === 0 || isSwitchedOff(block)) return;
  const missing = needed.filter((name) => findNode(block, name) === undefined);
  const span = findNode(block, "enabled")?.span ?? block.span;
  if (missing.length > 0) report("GW4353", span, { field, missing });
}

function reportIdle(
  field: string,
  block: DocumentNode | undefined,
  reason: string | undefined,
  report: Report,
): void {
  if (block === undefined || reason === undefined || isSwitchedOff(block)) return;
  report("GW4220", findNode(block, "enabled")?.span ?? block.span, { field, reason });
}

function scalarOf(node: DocumentNode | undefined): unknown {
  return node?.kind === "scalar" ? node.value : undefined;
}
