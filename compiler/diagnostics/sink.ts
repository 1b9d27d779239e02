// Collects the problems that phases find. Phases receive `report`; only the caller reads the result.

import type { Span } from "../source/source.ts";
import { arrange, cap } from "./arrange.ts";
import type { DiagnosticCode, DiagnosticDetails } from "./catalogue.ts";
import { createDiagnostic } from "./create-diagnostic.ts";
import type { Diagnostic, Related } from "./diagnostic.ts";

/** Reports a problem: `report("GW3004", node.span, { method, closest })`. */
export type Report = <C extends DiagnosticCode>(
  code: C,
  span: Span,
  details: DiagnosticDetails<C>,
  related?: Related,
) => void;

/** A growing list of problems. */
export interface Sink {
  readonly report: Report;
  /** Returns the problems so far in the fixed order: file, then start, then code; without duplicates. */
  diagnostics(): readonly Diagnostic[];
  /** Returns all reports so far in the order received, for `applyLevels`. */
  reported(): readonly Diagnostic[];
  hasErrors(): boolean;
}

/** Returns an empty sink. */
export function createSink(): Sink {
  const found: Diagnostic[] = [];
  return {
    report(code, span, details, related) {
      found.push(createDiagnostic(code, span, details, related));
    },
    diagnostics: () => cap(arrange(found)),
    reported: () => found,
    hasErrors: () => found.some((diagnostic) => diagnostic.severity === "error"),
  };
}

/** Returns a report that records whether there was anything, and passes everything on to `report`. */
export function watchReports(report: Report = ignoreReports): {
  readonly report: Report;
  hasReported(): boolean;
} {
  let hasReported = false;
  return {
    report: (...problem) => {
      hasReported = true;
      report(...problem);
    },
    hasReported: () => hasReported,
  };
}

/** A report for work whose problems are reported elsewhere, or are none. */
export function ignoreReports(): void {}

/** Returns a report that passes everything on and records whether any of it was an error. */
export function watchErrors(report: Report): { readonly report: Report; hasErrors(): boolean } {
  const { report: note, hasErrors } = createSink();
  return {
    report: (...reported) => {
      note(...reported);
      report(...reported);
    },
    hasErrors,
  };
}
