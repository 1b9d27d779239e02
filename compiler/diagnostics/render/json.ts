// Renders diagnostics for programs as a JSON array, `[]` if there are none. Omits second places, for which SARIF has a
// standard form.

import { locate } from "../../source/source.ts";
import type { Diagnostic, Severity } from "../diagnostic.ts";

/** A place. Lines and columns count from 1, columns in code points; the end is exclusive. */
export interface DiagnosticPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** One diagnostic in the form for programs. */
export interface DiagnosticItem extends DiagnosticPlace {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly hint?: string;
  /** The command that explains it. */
  readonly docs: string;
}

/** Returns the diagnostics as JSON text. */
export function renderJson(diagnostics: readonly Diagnostic[]): string {
  return JSON.stringify(describeDiagnostics(diagnostics), undefined, 2);
}

/** Returns the diagnostics as plain objects. */
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
