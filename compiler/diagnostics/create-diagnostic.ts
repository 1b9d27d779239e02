// A code, a place and the arguments of the code in, the problem that renderers show out.

import type { Span } from "../source/source.ts";
import { catalogue, type DiagnosticCode, type DiagnosticDetails } from "./catalogue.ts";
import type { Diagnostic, DiagnosticEntry, Edit, Fix, Related } from "./diagnostic.ts";
import { findFileRange } from "./fixes/file-range.ts";
import { inQuotes } from "./fixes/respell.ts";
import { hideSecretsOf } from "./secrets/without-secrets.ts";

/** The diagnostic of a code, at the level the catalogue gives it. */
export function createDiagnostic<C extends DiagnosticCode>(
  code: C,
  span: Span,
  details: DiagnosticDetails<C>,
  related?: Related,
): Diagnostic {
  // The catalogue's own type ties `code` to `details`; TypeScript loses that tie inside a generic.
  const entry = catalogue[code] as DiagnosticEntry<DiagnosticDetails<C>>;
  const show = hideSecretsOf(related === undefined ? [span] : [span, related.span]);
  const hint = entry.hint?.(details);
  const fix = keepApplicable(entry.fix?.(details, span));
  // A correction that holds a secret would show it wherever corrections are shown.
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

/** Text that needs no quotes and no escapes wherever text may stand, or a whole value that has quotes of its own. */
const plainText = /^(?:[\w$./-]*|\[?"[\w$./:@ -]*"\]?|\{ "?\w+"?: [\w$./"-]+ \})$/;

/** The fix, unless one of its edits cannot be carried out. */
function keepApplicable(fix: Fix | undefined): Fix | undefined {
  const edits = fix?.edits.flatMap((edit) => fitted(edit) ?? []);
  return fix !== undefined && edits?.length === fix.edits.length ? { ...fix, edits } : undefined;
}

/** The edit as its file needs it: with escapes where quotes stand around it. */
function fitted(edit: Edit): Edit | undefined {
  const { span, text, language } = edit;
  if (findFileRange(span) === undefined) return undefined;
  if (language !== "mapping") return language === "document" || plainText.test(text) ? edit : undefined;
  const { source } = span;
  // A file of mappings has nothing around them.
  if (source === source.file) return edit;
  const begin = source.offsetInFile(0);
  const before = source.file.text.slice(Math.max(0, begin - 200), begin);
  // A line may be folded right behind the quote.
  const quote = /(["'])(?:\\\r?\n\s*|\s*)$/.exec(before)?.[1];
  if (quote !== undefined) return { ...edit, text: inQuotes(text, quote) };
  return span.start > 0 && /^[\w$./()"=<>!*+ -]*$/.test(text) ? edit : undefined;
}
