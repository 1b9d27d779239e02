// Converts the compiler's diagnostics for editors: the same codes, texts and source ranges as `sluice check`.

import {
  DiagnosticSeverity,
  DiagnosticTag,
  type Diagnostic as EditorDiagnostic,
  type Range,
} from "vscode-languageserver";
import { findEntry } from "../../compiler/diagnostics/catalogue.ts";
import type { Diagnostic, Severity } from "../../compiler/diagnostics/diagnostic.ts";
import { explanationUrl } from "../../compiler/diagnostics/explain.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { rangeOf } from "../analysis/positions.ts";
import { absolutePath } from "../workspace/paths.ts";
import type { OpenTexts } from "../workspace/texts.ts";
import { keptDiagnostics } from "./kept-diagnostics.ts";

const severities: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
};

/** Words in a slug that determine how the editor displays the text. */
const tagWords: readonly (readonly [RegExp, DiagnosticTag])[] = [
  [/^(?:unused|unreachable)-/, DiagnosticTag.Unnecessary],
  [/^deprecated-/, DiagnosticTag.Deprecated],
];

/** Returns the diagnostics of all units by absolute path; once for a file that several units read. */
export function diagnosticsByFile(
  units: readonly { readonly analysis?: Analysis; readonly readable?: Analysis }[],
  texts: OpenTexts,
): ReadonlyMap<string, readonly EditorDiagnostic[]> {
  const found = new Map<string, Map<string, EditorDiagnostic>>();
  const add = (path: string, diagnostic: EditorDiagnostic): void => {
    const ofFile = found.get(path) ?? new Map<string, EditorDiagnostic>();
    found.set(path, ofFile);
    const { start, end } = diagnostic.range;
    const place = [start.line, start.character, end.line, end.character].join(" ");
    ofFile.set(`${diagnostic.code} ${place} ${diagnostic.message}`, diagnostic);
  };
  for (const { analysis, readable } of units) {
    if (analysis === undefined) continue;
    for (const each of analysis.diagnostics) add(pathOf(each), toEditor(each, texts));
    for (const { path, diagnostic, range } of keptDiagnostics(analysis, readable, texts))
      add(path, { ...toEditor(diagnostic, texts), range });
  }
  return new Map([...found].map(([path, ofFile]) => [path, [...ofFile.values()]]));
}

function pathOf({ span }: Diagnostic): string {
  return absolutePath(span.source.file.path);
}

/** Converts a diagnostic for editors. Its hint becomes the second line of the message. */
export function toEditor(diagnostic: Diagnostic, texts: OpenTexts): EditorDiagnostic {
  const { code, severity, message, hint, span, related } = diagnostic;
  const slug = findEntry(code)?.slug ?? "";
  const tags = tagWords.flatMap(([words, tag]) => (words.test(slug) ? [tag] : []));
  const href = explanationUrl(code);
  return {
    range: rangeOf(span),
    severity: severities[severity],
    code,
    ...(href !== undefined && { codeDescription: { href } }),
    source: "sluice",
    message: hint === undefined ? message : `${message}\n${hint}`,
    ...(tags.length > 0 && { tags }),
    ...(related !== undefined && {
      relatedInformation: [
        {
          location: {
            uri: texts.uriOf(absolutePath(related.span.source.file.path)),
            range: rangeOf(related.span),
          },
          message: related.message,
        },
      ],
    }),
  };
}

/** Whether two ranges overlap; an empty range also overlaps a range that it touches. */
export function touches(one: Range, other: Range): boolean {
  return !isBefore(one.end, other.start) && !isBefore(other.end, one.start);
}

function isBefore(one: Range["start"], other: Range["start"]): boolean {
  return one.line < other.line || (one.line === other.line && one.character < other.character);
}
