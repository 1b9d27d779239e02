// Diagnostics for programs: a JSON array, `[]` when there is nothing to say. Second places are left to SARIF,
// which has a standard form for them.

import { locate } from "../../source/source.ts";
import type { Diagnostic, Severity } from "../diagnostic.ts";

/** A place: lines and columns count from 1, columns in code points; the end is exclusive. */
export interface DiagnosticPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** One diagnostic as programs get it. */
export interface DiagnosticItem extends DiagnosticPlace {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly hint?: string;
  /** The command that explains it. */
  readonly docs: string;
}

/** The diagnostics as a JSON text. */
export function renderJson(diagnostics: readonly Diagnostic[]): string {
  return JSON.stringify(describeDiagnostics(diagnostics), undefined, 2);
}

/** The diagnostics as plain objects. */
export function describeDiagnostics(diagnostics: readonly Diagnostic[]): readonly DiagnosticItem[] {
  return diagnostics.map((diagnostic) => ({
    code: diagnostic.code,
    severity: diagnostic.severity,
    message: diagnostic.message,
    ...placeOf(diagnostic),
    ...(diagnostic.hint === undefined ? {} : { hint: diagnostic.hint }),
    docs: `sluice explain ${diagnostic.code}`,
  }));
}

function placeOf({ span }: Diagnostic): DiagnosticPlace {
  const { file, start, end } = locate(span);
  return {
    file: file.path,
    line: start.line,
    column: start.column,
    endLine: end.line,
    endColumn: end.column,
  };
}
