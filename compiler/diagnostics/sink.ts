// Collects the problems that phases find. Phases receive `report`; only the caller reads the result.

import type { Span } from "../source/source.ts";
import { arrange, cap } from "./arrange.ts";
import { catalogue, type DiagnosticCode, type DiagnosticDetails } from "./catalogue.ts";
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

/** What was reported so far, and the report that records it. */
export interface WatchedReport {
  readonly report: Report;
  hasReported(): boolean;
  hasErrors(): boolean;
}

/** Returns a report that passes everything on to `report`, and records whether it was called, and whether with an error. */
export function watchReports(report: Report = ignoreReports): WatchedReport {
  let hasReported = false;
  let hasErrors = false;
  return {
    report: (...problem) => {
      hasReported = true;
      hasErrors ||= catalogue[problem[0]].severity === "error";
      report(...problem);
    },
    hasReported: () => hasReported,
    hasErrors: () => hasErrors,
  };
}

/** A report for work whose problems are reported elsewhere, or are none. */
export function ignoreReports(): void {}
