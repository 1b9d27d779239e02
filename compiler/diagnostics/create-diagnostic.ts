// Creates the problem that renderers show from a code, its place and its details.

import type { Span } from "../source/source.ts";
import { catalogue, type DiagnosticCode, type DiagnosticDetails } from "./catalogue.ts";
import type { Diagnostic, DiagnosticEntry, Edit, Fix, Related } from "./diagnostic.ts";
import { findFileRange } from "./fixes/file-range.ts";
import { inQuotes } from "./fixes/respell.ts";
import { hideSecretsOf } from "./secrets/without-secrets.ts";

/** Returns the diagnostic for a code, with the level that the catalogue defines. */
export function createDiagnostic<C extends DiagnosticCode>(
  code: C,
  span: Span,
  details: DiagnosticDetails<C>,
  related?: Related,
): Diagnostic {
  // The catalogue's own type relates `code` to `details`; TypeScript loses that relation inside a generic function.
  const entry = catalogue[code] as DiagnosticEntry<DiagnosticDetails<C>>;
  const show = hideSecretsOf(related === undefined ? [span] : [span, related.span]);
  const hint = entry.hint?.(details);
  const fix = keepApplicable(entry.fix?.(details, span));
  // A fix that contains a secret would show it wherever fixes are shown.
  const showsNone = fix?.edits.every(({ text }) => show(text) === text) === true;
  return {
    code,
    severity: entry.severity,
    message: show(entry.message(details)),
    ...(hint === undefined || hint === "" ? {} : { hint: show(hint) }),
    span,
    ...(related === undefined ? {} : { related: { ...related, message: show(related.message) } }),
    ...(fix === undefined || !showsNone ? {} : { fix }),
  };
}

/** Text that needs no quotes and escapes anywhere, or a whole value that has quotes of its own. */
const plainText = /^(?:[\w$./-]*|\[?"[\w$./:@ -]*"\]?|\{ "?\w+"?: [\w$./"-]+ \})$/;

/** Returns the fix; `undefined` if one of its edits cannot be applied. */
function keepApplicable(fix: Fix | undefined): Fix | undefined {
  const edits = fix?.edits.flatMap((edit) => fitted(edit) ?? []);
  return fix !== undefined && edits?.length === fix.edits.length ? { ...fix, edits } : undefined;
}

/** Returns the edit as its file needs it: with escapes if it is inside quotes. */
function fitted(edit: Edit): Edit | undefined {
  const { span, text, language } = edit;
  if (findFileRange(span) === undefined) return undefined;
  if (language !== "mapping") return language === "document" || plainText.test(text) ? edit : undefined;
  const { source } = span;
  // A file of mappings has no quotes around them.
  if (source === source.file) return edit;
  const begin = source.offsetInFile(0);
  const before = source.file.text.slice(Math.max(0, begin - 200), begin);
  // A line may be folded immediately after the quote.
  const quote = /(["'])(?:\\\r?\n\s*|\s*)$/.exec(before)?.[1];
  if (quote !== undefined) return { ...edit, text: inQuotes(text, quote) };
  // Only line breaks have a meaning in a block.
  if (/[|>][-+\d]*[ \t]*(?:#.*)?\r?\n\s*$/.test(before)) return /[\r\n]/.test(text) ? undefined : edit;
  return span.start > 0 && /^[\w\p{L}\p{M}\p{N}\p{So}$./()"=<>!*+ -]*$/u.test(text) ? edit : undefined;
}
