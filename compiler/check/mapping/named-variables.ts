// Variables of requests and of the environment in scripts: whether there is such a variable, and a value for it here.

import type { Report } from "../../diagnostics/sink.ts";
import type { Name, VariableText } from "../../trees/mapping.ts";
import { printVariable, reportUnknownVariable, variablesIn } from "../../trees/named-variables.ts";
import type { MappingScope } from "./checked.ts";

/** Reports variables of a text that cannot be read; what a request gives is for the scope to judge. */
export function checkNamedVariables(
  { parts }: VariableText,
  { judgeRequest }: Pick<MappingScope, "judgeRequest">,
  report: Report,
): void {
  for (const part of parts) {
    if (typeof part === "string") continue;
    if (part.kind === "Unknown") reportUnknownVariable(part, report);
    else if (judgeRequest === undefined) report("GW4381", part.span, { name: printVariable(part) });
    else if (part.kind === "Request") judgeRequest(part);
  }
}

/** Names of fields, metadata and maps are what the author wrote: nothing is filled into them. */
export function checkName({ quoted, span }: Name, report: Report): void {
  if (!quoted) return;
  const { source, start, end } = span;
  const written = source.text.slice(start + 1, end - 1);
  for (const variable of variablesIn(written, source, start + 1)) {
    report("GW4380", variable.span, { name: printVariable(variable), place: "name" });
  }
}
