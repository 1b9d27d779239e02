// Connects an editor of a page with a language server: completion, hover, colours of scripts, formatting.

import {
  autocompletion,
  type Completion,
  type CompletionContext,
  insertCompletionText,
  pickedCompletion,
  snippet,
} from "@codemirror/autocomplete";
import {
  type EditorState,
  type Extension,
  RangeSetBuilder,
  StateEffect,
  StateField,
  type Text,
} from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  hoverTooltip,
  keymap,
  ViewPlugin,
} from "@codemirror/view";
import type { LanguageClient, LspEdit, LspPosition, LspRange } from "./language-client.ts";
import { markdownElements } from "./markdown.ts";
import { LanguageError } from "./worker-connection.ts";

/** A document and its language server. */
export interface Assisted {
  readonly client: LanguageClient;
  readonly uri: string;
  /** `yaml`, `json` or `blobl`. */
  readonly language: string;
}

interface LspItem {
  readonly label: string;
  readonly kind?: number;
  readonly detail?: string;
  readonly documentation?: string | { readonly value: string };
  readonly insertText?: string;
  readonly textEdit?: { readonly range: LspRange; readonly newText: string };
  readonly insertTextFormat?: number;
  readonly sortText?: string;
  readonly filterText?: string;
  /** Contains 1 if the item is deprecated or cannot be used at this position. */
  readonly tags?: readonly number[];
}

interface Offered extends Completion {
  readonly isStruck: boolean;
}

const struck = EditorView.baseTheme({ ".cm-struck .cm-completionLabel": { textDecoration: "line-through" } });

/** Completion kinds of the protocol, by the names of the editor's icons. */
const kinds: Readonly<Record<number, string>> = {
  2: "method",
  3: "function",
  5: "property",
  6: "variable",
  7: "class",
  10: "property",
  12: "constant",
  14: "keyword",
  18: "variable",
  20: "enum",
};

/** Returns the offset of a position of the protocol. A position after the text is its end. */
function offsetOfLsp(doc: Text, { line, character }: LspPosition): number {
  if (line >= doc.lines) return doc.length;
  const { from, to } = doc.line(line + 1);
  return Math.min(from + character, to);
}

function positionOf(doc: Text, offset: number): LspPosition {
  const { number, from } = doc.lineAt(offset);
  return { line: number - 1, character: offset - from };
}

/** Returns the extensions of an editor for a document with a language server. */
export function assistance(assisted: Assisted): Extension {
  return [
    ViewPlugin.define((view) => {
      handOver(assisted, view.state);
      return { update: ({ docChanged, state }) => void (docChanged && handOver(assisted, state)) };
    }),
    autocompletion({
      override: [(context) => complete(assisted, context)],
      activateOnTypingDelay: 60,
      interactionDelay: 0,
      optionClass: (option) => ((option as Offered).isStruck ? "cm-struck" : ""),
    }),
    struck,
    hoverTooltip((view, offset) => hover(assisted, view, offset)),
    colours(assisted),
    keymap.of([{ key: "Shift-Alt-f", run: (view) => started(format(assisted, view)) }]),
  ];
}

function handOver({ client, uri, language }: Assisted, state: EditorState): void {
  client.open(uri, language, state.sliceDoc());
}

async function complete({ client, uri }: Assisted, context: CompletionContext) {
  const { state, pos, explicit } = context;
  const before = context.matchBefore(/[\w-]*$/);
  const from = before?.from ?? pos;
  const last = state.sliceDoc(from - 1, from);
  if (!explicit && from === pos && !/[.@$"/{ ]/.test(last)) return null;
  const answer = await orNothing(
    client.request<{ readonly items: readonly LspItem[] }>("textDocument/completion", {
      textDocument: { uri },
      position: positionOf(state.doc, pos),
    }),
  );
  if (answer === null || context.aborted || answer.items.length === 0) return null;
  const sorted = answer.items.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  const options = sorted.map((item, at) => completionOf(item, sorted.length - at, state.doc));
  return { from, options, validFor: /^[\w-]*$/ };
}

/** Returns a response, or `null` if there is none because the text has changed or the page is closing. */
async function orNothing<R>(answer: Promise<R>): Promise<R | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof LanguageError) return null;
    throw error;
  }
}

function orderOf({ sortText, label }: LspItem): string {
  return sortText ?? label;
}

/** Converts a completion item. Among equal matches, a higher `rank` comes first. */
function completionOf(item: LspItem, rank: number, doc: Text): Offered {
  const { label, kind = 0, detail, documentation, insertText = label, insertTextFormat, textEdit } = item;
  const isStruck = item.tags?.includes(1) === true;
  const said = typeof documentation === "string" ? documentation : documentation?.value;
  const type = kinds[kind];
  return {
    label,
    isStruck,
    boost: Math.max(-99, Math.min(99, rank / 4)),
    ...(type !== undefined && { type }),
    ...(detail !== undefined && { detail }),
    ...(said !== undefined && { info: () => markdownElements(said) }),
    apply(view, completion, wordStart, to) {
      // The server states where its text begins; text typed since then follows.
      const from = textEdit === undefined ? wordStart : offsetOfLsp(doc, textEdit.range.start);
      const text = textEdit?.newText ?? insertText;
      if (insertTextFormat === 2) snippet(snippetOf(text))(view, completion, from, to);
      else
        view.dispatch({
          ...insertCompletionText(view.state, text, from, to),
          annotations: pickedCompletion.of(completion),
        });
    },
  };
}

/** Converts placeholders of the protocol's snippets (`$1`, `${1:x}`, `$0`) to the syntax of the editor. */
function snippetOf(text: string): string {
  return text.replace(/\$(\d+)/g, "${$1}").replace(/\$\{(\d+)\|([^,|}]*)[^}]*\}/g, "${$1:$2}");
}

async function hover({ client, uri }: Assisted, view: EditorView, offset: number) {
  const { doc } = view.state;
  const found = await orNothing(
    client.request<{
      readonly contents: { readonly value: string };
      readonly range?: LspRange;
    } | null>("textDocument/hover", { textDocument: { uri }, position: positionOf(doc, offset) }),
  );
  if (found === null) return null;
  const pos = found.range === undefined ? offset : offsetOfLsp(doc, found.range.start);
  const end = found.range === undefined ? offset : offsetOfLsp(doc, found.range.end);
  return { pos, end, above: true, create: () => ({ dom: markdownElements(found.contents.value) }) };
}

/** Formats the scripts of the document in a single undo step. */
export async function format({ client, uri }: Assisted, view: EditorView): Promise<void> {
  const original = view.state.doc;
  const edits = await client.request<readonly LspEdit[] | null>("textDocument/formatting", {
    textDocument: { uri },
    options: { tabSize: 2, insertSpaces: true },
  });
  if (edits === null || edits.length === 0 || view.state.doc !== original) return;
  view.dispatch({
    changes: edits.map(({ range, newText }) => ({
      from: offsetOfLsp(original, range.start),
      to: offsetOfLsp(original, range.end),
      insert: newText.replaceAll("\r\n", "\n"),
    })),
    userEvent: "input.format",
  });
}

/** Runs `work` and returns true, which marks the key as handled. */
function started(work: Promise<void>): boolean {
  // If the text has changed or the worker has ended, the next key tries again.
  work.catch(() => {});
  return true;
}

const setColours = StateEffect.define<DecorationSet>();
const coloursField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, { changes, effects }) {
    const given = effects.find((each) => each.is(setColours));
    return given === undefined ? value.map(changes) : (given.value as DecorationSet);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Milliseconds without a change before colours are requested. */
const pause = 150;

function colours({ client, uri }: Assisted): Extension {
  const plugin = ViewPlugin.define((view) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOpen = true;
    const ask = async () => {
      const { doc } = view.state;
      const { data } = await client.request<{ readonly data: readonly number[] }>(
        "textDocument/semanticTokens/full",
        { textDocument: { uri } },
      );
      if (isOpen && view.state.doc === doc)
        view.dispatch({ effects: setColours.of(marksOf(doc, data, client.tokenTypes())) });
    };
    const soon = () => {
      clearTimeout(timer);
      // If the text changes meanwhile, there is no response, and the change triggers another request.
      timer = setTimeout(() => void ask().catch(() => {}), pause);
    };
    soon();
    return {
      update: ({ docChanged }) => void (docChanged && soon()),
      destroy() {
        isOpen = false;
        clearTimeout(timer);
      },
    };
  });
  return [coloursField, plugin];
}

/** Decodes semantic tokens: five numbers per token (line and character deltas, length, type, modifiers). */
function marksOf(doc: Text, data: readonly number[], types: readonly string[]): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  let line = 0;
  let character = 0;
  for (let at = 0; at + 4 < data.length; at += 5) {
    const [lines = 0, units = 0, length = 0, type = 0] = data.slice(at, at + 4);
    character = lines === 0 ? character + units : units;
    line += lines;
    const from = offsetOfLsp(doc, { line, character });
    const to = offsetOfLsp(doc, { line, character: character + length });
    const name = types[type];
    if (to > from && name !== undefined) builder.add(from, to, Decoration.mark({ class: `tok-${name}` }));
  }
  return builder.finish();
}
