// A text editor: CodeMirror in a shadow root. There it uses adopted style sheets, which the content security policy of
// the page allows without allowing inline styles in the document. The text can be read and edited before the tools of
// `editor-tools.ts` are loaded, which are half of the editor.

import { Compartment, EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import type { Assisted } from "./assistance.ts";
import { type Marked, offsetOf } from "./marked.ts";

export interface CodeEditor {
  /** Settles when the tools are loaded: colours, undo, search, diagnostics, completion. */
  readonly ready: Promise<void>;
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
  const tools = new Compartment();
  const extensions = [
    lineNumbers(),
    drawSelection(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
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
    ]),
    EditorView.updateListener.of(({ docChanged, transactions }) => {
      const isByHand = transactions.some((each) => each.isUserEvent("input") || each.isUserEvent("delete"));
      const isOther = transactions.some((each) =>
        ["move", "undo", "redo"].some((name) => each.isUserEvent(name)),
      );
      if (docChanged && (isByHand || isOther)) changed();
    }),
  ];
  let loaded: typeof import("./editor-tools.ts") | undefined;
  let problems: readonly Marked[] = [];
  let isOpen = true;
  const toolsOf = (doc: string): Extension => loaded?.toolsFor(doc, assisted) ?? [];
  const stateOf = (doc: string) =>
    EditorState.create({ doc, extensions: [...extensions, tools.of(toolsOf(doc))] });
  const view = new EditorView({ parent: root, root, state: stateOf("") });
  const showProblems = () => {
    if (loaded !== undefined && isOpen) view.dispatch(loaded.showing(problems, view.state));
  };
  const loadTools = async () => {
    loaded = await import("./editor-tools.ts");
    if (!isOpen) return;
    view.dispatch({ effects: tools.reconfigure(toolsOf(view.state.sliceDoc())) });
    showProblems();
  };
  const ready = loadTools();
  return {
    ready,
    text: () => view.state.sliceDoc(),
    load(text) {
      problems = [];
      view.setState(stateOf(text));
    },
    show(found) {
      problems = found;
      showProblems();
    },
    goTo(line, column) {
      const anchor = offsetOf(view.state.doc, line, column);
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
      view.focus();
    },
    async format() {
      await ready;
      if (assisted !== undefined) await loaded?.format(assisted, view);
    },
    close() {
      isOpen = false;
      view.destroy();
    },
  };
}
