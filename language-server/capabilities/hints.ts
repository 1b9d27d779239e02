// Inlay hints next to the text: the type of messages after each step.

import { type InlayHint, InlayHintKind, type Range } from "vscode-languageserver";
import { printType } from "../../compiler/value-types/print.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { rangeOf } from "../analysis/positions.ts";
import { absolutePath } from "../workspace/paths.ts";

/** The maximum length of a hint: longer types would push the text out of the window. */
const longestHint = 60;

/**
 * Returns hints with the content of messages after each component in a part of a document, and whether a step may
 * fail.
 */
export function inlayHints({ checked }: Analysis, path: string, { start, end }: Range): readonly InlayHint[] {
  const hints: InlayHint[] = [];
  for (const stream of checked?.set.apis.flatMap((api) => api.streams) ?? []) {
    const failing = new Map(checked?.failures(stream).map(({ component, reason }) => [component, reason]));
    const steps = new Map(checked?.steps(stream).map((step) => [step.component, step.message]));
    for (const [component, message] of steps) {
      const { nameSpan } = component;
      const range = rangeOf(nameSpan);
      const isHere = absolutePath(nameSpan.source.file.path) === path;
      if (!isHere || range.start.line < start.line || range.start.line > end.line) continue;
      const reason = failing.get(component);
      const type =
        message.content.kind === "Unknown"
          ? ""
          : `→ ${printType(message.content, { maximumLength: longestHint })}`;
      const label = [type, ...(reason === undefined ? [] : ["may fail"])]
        .filter((text) => text !== "")
        .join(", ");
      if (label === "") continue;
      hints.push({
        position: range.end,
        label,
        kind: InlayHintKind.Type,
        paddingLeft: true,
        ...(reason !== undefined && { tooltip: `It may fail: ${reason}.` }),
      });
    }
  }
  return hints;
}
