// Diagnostics for programs: a JSON array, `[]` when there is nothing to say.

import { locate } from "../../source/source.ts";
import type { Diagnostic } from "../diagnostic.ts";

/** Lines and columns count from 1, columns in code points; the end is exclusive. */
export function renderJson(diagnostics: readonly Diagnostic[]): string {
  const items = diagnostics.map((diagnostic) => ({
    code: diagnostic.code,
    severity: diagnostic.severity,
    message: diagnostic.message,
    ...placeOf(diagnostic),
    ...(diagnostic.hint === undefined ? {} : { hint: diagnostic.hint }),
    ...(diagnostic.related === undefined
      ? {}
      : { related: { message: diagnostic.related.message, ...placeOf(diagnostic.related) } }),
    docs: `sluice explain ${diagnostic.code}`,
  }));
  return JSON.stringify(items, undefined, 2);
}

function placeOf({ span }: Pick<Diagnostic, "span">) {
  const { file, start, end } = locate(span);
  return {
    file: file.path,
    line: start.line,
    column: start.column,
    endLine: end.line,
    endColumn: end.column,
  };
}
