// A text editor: CodeMirror in a shadow root. There it uses adopted style sheets, which the content security policy of
// the page allows without allowing inline styles in the document.

import { completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension, type Text } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { type Assisted, assistance, format } from "./assistance.ts";
import { mappingLanguage } from "./mapping-language.ts";

/** A problem in a range of the text. Lines and columns count from 1; columns are code points. */
export interface Marked {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly severity: "error" | "warning" | "info";
  readonly code?: string;
  readonly message: string;
  readonly hint?: string;
}

export interface CodeEditor {
  text(): string;
  /** Replaces the text and clears the undo history. */
  load(text: string): void;
  show(problems: readonly Marked[]): void;
  /** Moves the cursor to a position, counted from 1, and focuses the editor. */
  goTo(line: number, column: number): void;
  /** Formats the scripts in the text if a server supports it. */
  format(): Promise<void>;
  /** Removes the editor from the page. */
  close(): void;
}

export interface CodeEditorOptions {
  /** The accessible name of the editor. */
  readonly label: string;
  /** Called after each change by the user. */
  changed(): void;
  /** Called for Ctrl-S. */
  save(): void;
  /** The language server of the document. */
  readonly assisted?: Assisted;
}

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--code-key)" },
  { tag: [tags.string, tags.content, tags.special(tags.string)], color: "var(--code-text)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: tags.keyword, color: "var(--code-keyword)" },
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
]);

/** Colours of semantic tokens from the language server, which override those of YAML. */
const tokenColours = {
  ".tok-keyword, .tok-variable, .tok-parameter": { color: "var(--code-keyword)" },
  ".tok-property": { color: "var(--code-key)" },
  ".tok-function, .tok-method": { color: "var(--code-call)" },
  ".tok-string": { color: "var(--code-text)" },
  ".tok-number": { color: "var(--code-number)" },
  // A YAML element inside a semantic token inherits the colour of the token.
  ".tok-keyword *, .tok-variable *, .tok-parameter *, .tok-property *, .tok-function *, .tok-method *, .tok-string *, .tok-number *":
    { color: "inherit" },
};

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
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "ui-monospace, monospace", maxHeight: "16em" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    background: "var(--accent) !important",
    color: "var(--on-accent) !important",
  },
  ".said": { padding: "0.3rem 0.6rem", maxHeight: "18rem", overflow: "auto", fontSize: "0.95em" },
  ".said p": { margin: "0.3rem 0" },
  ".said pre": { margin: "0.3rem 0", whiteSpace: "pre-wrap", fontFamily: "ui-monospace, monospace" },
  ".said code": { fontFamily: "ui-monospace, monospace", background: "var(--sunken)", borderRadius: "3px" },
  ".cm-panel input, .cm-panel button, .cm-panel label": { color: "var(--ink)", fontSize: "0.95em" },
  ".cm-textfield, .cm-button": {
    background: "var(--sunken)",
    border: "1px solid var(--edge)",
    borderRadius: "4px",
  },
  ".cm-searchMatch": { background: "var(--warn-soft)", outline: "1px solid var(--warn)" },
  ...tokenColours,
});

/**
 * Creates an editor in an element. Tab moves the focus to the next field instead of indenting: otherwise keyboard
 * users could not leave the editor (WCAG 2.2, success criterion 2.1.2).
 */
export function createCodeEditor(host: HTMLElement, options: CodeEditorOptions): CodeEditor {
  const { label, changed, save, assisted } = options;
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const language = new Compartment();
  const assistant: Extension = assisted === undefined ? [] : assistance(assisted);
  const extensions = [
    lineNumbers(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    lintGutter(),
    search({ top: true }),
    highlightSelectionMatches(),
    assistant,
    syntaxHighlighting(colours),
    theme,
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    keymap.of([
      {
        key: "Mod-s",
        preventDefault: true,
        run() {
          save();
          return true;
        },
      },
      ...completionKeymap,
      ...searchKeymap,
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
    const chosen = assisted?.language === "blobl" ? mappingLanguage : /^\s*\{/.test(doc) ? json() : yaml();
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
    format: async () => assisted && format(assisted, view),
    close: () => view.destroy(),
  };
}

function markOf({ line, column, endLine, endColumn, severity, ...told }: Marked, doc: Text): Diagnostic {
  const from = offsetOf(doc, line, column);
  const to = Math.max(from, offsetOf(doc, endLine, endColumn));
  const hint = told.hint === undefined ? "" : `\n${told.hint}`;
  return {
    from,
    to,
    severity,
    ...(told.code !== undefined && { source: told.code }),
    message: `${told.message}${hint}`,
  };
}

/** Returns the UTF-16 offset of a position whose column counts code points. A position after the text is its end. */
function offsetOf(doc: Text, line: number, column: number): number {
  const { from, text } = doc.line(Math.min(Math.max(1, line), doc.lines));
  const before = [...text].slice(0, column - 1).join("");
  return from + before.length;
}
