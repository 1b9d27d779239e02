// The editor of a definition: CodeMirror, in a shadow root. There its style sheets are adopted ones, which the policy of
// the page lets in without opening it for styles in the document.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, type Text } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Problem } from "./service.ts";

export interface Editor {
  text(): string;
  /** Puts another text in, which no step back leads behind. */
  load(text: string): void;
  show(problems: readonly Problem[]): void;
  /** Goes to a place, counted from 1, and takes the focus. */
  goTo(line: number, column: number): void;
  /** Takes the editor out of the page. */
  close(): void;
}

interface EditorOptions {
  /** Called for each change that a person made. */
  changed(): void;
  save(): void;
}

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--code-key)" },
  { tag: [tags.string, tags.content, tags.special(tags.string)], color: "var(--code-text)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
]);

const theme = EditorView.theme({
  "&": { height: "min(34rem, 70vh)", fontSize: "13.5px", color: "var(--ink)", background: "var(--card)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "ui-monospace, monospace", lineHeight: "1.5" },
  ".cm-gutters": { background: "var(--card)", color: "var(--faint)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine, .cm-activeLineGutter": { background: "var(--code-mark)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": {
    background: "var(--code-selection) !important",
  },
  ".cm-tooltip, .cm-panels": {
    background: "var(--card)",
    color: "var(--ink)",
    border: "1px solid var(--line)",
    maxWidth: "40rem",
  },
  ".cm-diagnostic": { whiteSpace: "pre-line" },
});

/**
 * Puts an editor into an element. Tab moves on to the next field and indents nothing: who has only a keyboard could not
 * leave the editor otherwise (WCAG 2.2, success criterion 2.1.2).
 */
export function createEditor(host: HTMLElement, { changed, save }: EditorOptions): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const language = new Compartment();
  const extensions = [
    lineNumbers(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    lintGutter(),
    syntaxHighlighting(colours),
    theme,
    EditorView.contentAttributes.of({ "aria-label": "Definition", tabindex: "0" }),
    keymap.of([
      {
        key: "Mod-s",
        preventDefault: true,
        run() {
          save();
          return true;
        },
      },
      ...defaultKeymap,
      ...historyKeymap,
      ...lintKeymap,
    ]),
    EditorView.updateListener.of(({ docChanged, transactions }) => {
      const isByHand = transactions.some((each) => each.isUserEvent("input") || each.isUserEvent("delete"));
      const isOther = transactions.some((each) =>
        ["move", "undo", "redo"].some((name) => each.isUserEvent(name)),
      );
      if (docChanged && (isByHand || isOther)) changed();
    }),
  ];
  const stateOf = (doc: string) => {
    const chosen = /^\s*\{/.test(doc) ? json() : yaml();
    return EditorState.create({ doc, extensions: [...extensions, language.of(chosen)] });
  };
  const view = new EditorView({ parent: root, root, state: stateOf("") });
  return {
    text: () => view.state.sliceDoc(),
    load: (text) => view.setState(stateOf(text)),
    show(problems) {
      const { doc } = view.state;
      view.dispatch(
        setDiagnostics(
          view.state,
          problems.map((each) => markOf(each, doc)),
        ),
      );
    },
    goTo(line, column) {
      const anchor = offsetOf(view.state.doc, line, column);
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
      view.focus();
    },
    close: () => view.destroy(),
  };
}

function markOf({ line, column, endLine, endColumn, severity, ...told }: Problem, doc: Text): Diagnostic {
  const from = offsetOf(doc, line, column);
  const to = Math.max(from, offsetOf(doc, endLine, endColumn));
  const hint = told.hint === undefined ? "" : `\n${told.hint}`;
  return { from, to, severity, source: told.code, message: `${told.message}${hint}` };
}

/** Columns count code points, offsets UTF-16. A place beyond the text is its end. */
function offsetOf(doc: Text, line: number, column: number): number {
  const { from, text } = doc.line(Math.min(Math.max(1, line), doc.lines));
  const before = [...text].slice(0, column - 1).join("");
  return from + before.length;
}
