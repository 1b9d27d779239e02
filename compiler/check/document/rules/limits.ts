// Limits of an API that are switched on and let everything through.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiDocument } from "../../../parse/document/api.ts";
import { type DocumentNode, findNode } from "../../../parse/document/tree.ts";

/** Reports rates and sizes without a number, and rates that the API passes over. */
export function checkLimits({ gateway }: ApiDocument, report: Report): void {
  const all = findNode(gateway, "middleware", "global");
  const rate = findNode(gateway, "upstream", "rateLimit");
  const size = findNode(all, "requestSizeLimit");
  reportIdle("rateLimit", rate, whyNoRate(rate, all), report);
  const hasNoSize = size !== undefined && findNode(size, "value") === undefined;
  reportIdle("requestSizeLimit", size, hasNoSize ? "it has no `value`" : undefined, report);
}

function whyNoRate(rate: DocumentNode | undefined, all: DocumentNode | undefined): string | undefined {
  if (rate === undefined) return undefined;
  for (const name of ["rate", "per"]) {
    if (findNode(rate, name) === undefined) return `it has no \`${name}\``;
  }
  if (scalarOf(findNode(rate, "rate")) === 0) return "a `rate` of 0 is any number";
  return scalarOf(findNode(all, "skipRateLimit")) === true ? "`skipRateLimit` passes over it" : undefined;
}

function reportIdle(
  field: string,
  block: DocumentNode | undefined,
  reason: string | undefined,
  report: Report,
): void {
  const enabled = findNode(block, "enabled");
  if (enabled !== undefined && scalarOf(enabled) === true && reason !== undefined) {
    report("GW4220", enabled.span, { field, reason });
  }
}

function scalarOf(node: DocumentNode | undefined): unknown {
  return node?.kind === "scalar" ? node.value : undefined;
}
