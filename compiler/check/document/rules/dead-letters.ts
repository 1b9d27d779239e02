// `error_handling`: `dead_letter` and its output belong together.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import type { SettingsModel } from "../../../model/settings.ts";
import type { StreamNode } from "../../../trees/api.ts";
import { type DocumentNode, findEntry, findText } from "../../../trees/document.ts";

/** Reports `dead_letter` without an output, and an output nothing is handed to. */
export function checkDeadLetterOfStream({ errorHandling }: StreamNode, _api: ApiModel, report: Report): void {
  checkErrorHandling(errorHandling, report);
}

/** The same where a set says it for all its streams. */
export function checkDeadLetterOfSet(settings: SettingsModel, report: Report): void {
  checkErrorHandling(settings.errorHandling?.node, report);
}

function checkErrorHandling(errorHandling: DocumentNode | undefined, report: Report): void {
  const strategy = findEntry(errorHandling, "strategy");
  const output = findEntry(errorHandling, "output");
  const isDeadLetter = findText(strategy?.value) === "dead_letter";
  if (strategy !== undefined && isDeadLetter && output === undefined)
    report("GW4040", strategy.value.span, {});
  if (output !== undefined && !isDeadLetter) {
    report("GW4033", output.keySpan, { field: "output", needs: ["strategy: dead_letter"] });
  }
}
