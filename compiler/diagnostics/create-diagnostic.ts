// A code, a place and the arguments of the code in, the problem that renderers show out.

import type { Span } from "../source/source.ts";
import { catalogue, type DiagnosticCode, type DiagnosticDetails } from "./catalogue.ts";
import type { Diagnostic, DiagnosticEntry, Edit, Fix, Related } from "./diagnostic.ts";
import { findFileRange } from "./fixes/file-range.ts";
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
  return fix?.edits.every(isApplicable) ? fix : undefined;
}

function isApplicable({ span, text }: Edit): boolean {
  return plainText.test(text) && findFileRange(span) !== undefined;
}
