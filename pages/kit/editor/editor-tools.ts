// What an editor loads after it shows its text: commands, colours of languages, search, diagnostics, and the language
// server.

import { completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import type { EditorState, Extension, Text, TransactionSpec } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { type Assisted, assistance } from "./assistance.ts";
import { mappingLanguage } from "./mapping-language.ts";
import { type Marked, offsetOf } from "./marked.ts";

export { format } from "./assistance.ts";

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--code-key)" },
  { tag: [tags.string, tags.content, tags.special(tags.string)], color: "var(--code-text)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: tags.keyword, color: "var(--code-keyword)" },
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
]);

/** Returns the extensions of an editor whose text is `doc`. */
export function toolsFor(doc: string, assisted: Assisted | undefined): Extension {
  return [
    assisted?.language === "blobl" ? mappingLanguage : /^\s*\{/.test(doc) ? json() : yaml(),
    history(),
    indentOnInput(),
    bracketMatching(),
    lintGutter(),
    search({ top: true }),
    highlightSelectionMatches(),
    assisted === undefined ? [] : assistance(assisted),
    syntaxHighlighting(colours),
    keymap.of([...completionKeymap, ...searchKeymap, ...defaultKeymap, ...historyKeymap, ...lintKeymap]),
  ];
}

/** Returns the transaction that shows these problems instead of earlier ones. */
export function showing(problems: readonly Marked[], state: EditorState): TransactionSpec {
  return setDiagnostics(
    state,
    problems.map((each) => markOf(each, state.doc)),
  );
}

function markOf({ line, column, endLine, endColumn, severity, ...mark }: Marked, doc: Text): Diagnostic {
  const from = offsetOf(doc, line, column);
  const to = Math.max(from, offsetOf(doc, endLine, endColumn));
  const hint = mark.hint === undefined ? "" : `\n${mark.hint}`;
  return {
    from,
    to,
    severity,
    ...(mark.code !== undefined && { source: mark.code }),
    message: `${mark.message}${hint}`,
  };
}
