// The name of a diagnostic that somebody wants to suppress, to its code; reports why it is none.

import { catalogue, codeNames, type DiagnosticCode, findCode } from "../../diagnostics/catalogue.ts";
import { type DiagnosticEntry, isAdjustable } from "../../diagnostics/diagnostic.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import type { Span } from "../../source/source.ts";

/** The code of `name`, a code or a slug, where it may be suppressed. */
export function findSuppressible(name: string, span: Span, report: Report): DiagnosticCode | undefined {
  const code = findCode(name);
  if (code === undefined) {
    report("GW4110", span, { name, closest: suggest(name, codeNames()) });
    return undefined;
  }
  const entry: Pick<DiagnosticEntry<never>, "adjustable" | "severity"> = catalogue[code];
  if (isAdjustable(entry)) return code;
  report("GW4113", span, { name });
  return undefined;
}
