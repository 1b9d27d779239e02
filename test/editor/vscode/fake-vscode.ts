// Implements the parts of the module `vscode` that the extension and its language client use: documents, providers, commands,
// tests. Other names become an empty class, an event that never fires, or a registration.

import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { TextDocument } from "vscode-languageserver-textdocument";
import { URI } from "vscode-uri";
import { projectRoot } from "../../harness/directories.ts";

type Listener = (value: unknown) => unknown;
type Anything = Record<string, unknown>;

/** The actions of a test as the user of the editor, and the visible results. */
export interface FakeEditor {
  /** The fake module. */
  readonly module: object;
  /** Providers of the language client, by the name of the function that registered them. */
  readonly providers: ReadonlyMap<string, readonly Anything[]>;
  readonly commands: ReadonlyMap<string, (...args: unknown[]) => unknown>;
  /** Diagnostics by the URI of their document. */
  readonly diagnostics: ReadonlyMap<string, readonly { readonly message: string }[]>;
  readonly statusItems: readonly { text: string; tooltip?: string; isShown: boolean }[];
  readonly shown: { readonly kind: string; readonly text: string }[];
  readonly tasks: readonly { readonly execution: { readonly args: readonly unknown[] } }[];
  readonly panels: readonly { readonly webview: { html: string; send(message: unknown): void } }[];
  readonly controllers: readonly FakeController[];
  /** The answers to input boxes and pick lists, in turn. */
  readonly answers: unknown[];
  open(path: string, languageId: string, text: string, cursor?: number): Anything;
  change(path: string, text: string): void;
  isTrusted: boolean;
}

/** A list of tests. */
export interface FakeController extends Anything {
  readonly items: FakeItems;
  readonly profiles: readonly { run(request: object, token: object): Promise<void> }[];
  /** The reported results of tests: `passed NAME`. */
  readonly outcomes: { readonly state: string; readonly name: string; readonly text: string }[];
  resolveHandler?(item: undefined): Promise<void>;
}

/** The children of a test. */
export interface FakeItems {
  readonly size: number;
  get(id: string): FakeItem | undefined;
  forEach(visit: (item: FakeItem) => void): void;
}

export interface FakeItem extends Anything {
  readonly label: string;
  readonly children: FakeItems;
}

class Position {
  readonly line: number;
  readonly character: number;
  constructor(line: number, character: number) {
    this.line = line;
    this.character = character;
  }
}

class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(...at: [Position, Position] | [number, number, number, number]) {
    [this.start, this.end] = at.length === 2 ? at : [new Position(at[0], at[1]), new Position(at[2], at[3])];
  }
  get isEmpty(): boolean {
    return this.start.line === this.end.line && this.start.character === this.end.character;
  }
  get active(): Position {
    return this.end;
  }
}

class EventEmitter {
  readonly #listeners = new Set<Listener>();
  readonly event = (listener: Listener, self?: unknown, disposables?: unknown[]) => {
    const bound = listener.bind(self);
    this.#listeners.add(bound);
    const disposable = { dispose: () => this.#listeners.delete(bound) };
    disposables?.push(disposable);
    return disposable;
  };
  fire(value: unknown): void {
    for (const listener of [...this.#listeners]) listener(value);
  }
  dispose(): void {
    this.#listeners.clear();
  }
}

class Disposable {
  readonly #work: () => void;
  constructor(work: () => void) {
    this.#work = work;
  }
  static from(...all: { dispose(): void }[]): Disposable {
    return new Disposable(() => {
      for (const each of all) each.dispose();
    });
  }
  dispose(): void {
    this.#work();
  }
}

class CancellationTokenSource {
  readonly #emitter = new EventEmitter();
  readonly token = { isCancellationRequested: false, onCancellationRequested: this.#emitter.event };
  cancel(): void {
    this.token.isCancellationRequested = true;
    this.#emitter.fire(undefined);
  }
  dispose(): void {
    this.#emitter.dispose();
  }
}

class Diagnostic {
  readonly range: Range;
  readonly message: string;
  constructor(range: Range, message: string) {
    this.range = range;
    this.message = message;
  }
}

class CompletionItem {
  readonly label: string;
  constructor(label: string) {
    this.label = label;
  }
}

class CodeActionKind {
  static readonly Empty = new CodeActionKind("");
  static readonly QuickFix = new CodeActionKind("quickfix");
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
  append(part: string): CodeActionKind {
    return new CodeActionKind(this.value === "" ? part : `${this.value}.${part}`);
  }
}

/** Returns a value that works as a class that keeps its arguments, and as an enumeration of names. */
function unknownType(): object {
  class Unknown {
    readonly args: readonly unknown[];
    constructor(...args: unknown[]) {
      this.args = args;
    }
  }
  return new Proxy(Unknown, {
    get: (type, key) => Reflect.get(type, key) ?? (typeof key === "string" ? key : undefined),
  });
}

/** Returns a namespace: its events never fire, and everything registered or created can be disposed of. */
function namespace(
  known: object,
  register: (name: string, args: readonly unknown[]) => void = () => {},
): object {
  return new Proxy(known, {
    get(target, key) {
      if (key in target || typeof key !== "string") return Reflect.get(target, key);
      return (...args: unknown[]) => {
        register(key, args);
        return { dispose() {} };
      };
    },
  });
}

class Items implements FakeItems {
  readonly #items = new Map<string, FakeItem>();
  get size(): number {
    return this.#items.size;
  }
  get(id: string): FakeItem | undefined {
    return this.#items.get(id);
  }
  add(item: FakeItem): void {
    this.#items.set(String(item.id), item);
  }
  delete(id: string): void {
    this.#items.delete(id);
  }
  replace(items: readonly FakeItem[]): void {
    this.#items.clear();
    for (const item of items) this.add(item);
  }
  forEach(visit: (item: FakeItem) => void): void {
    for (const item of [...this.#items.values()]) visit(item);
  }
}

function createController(): FakeController {
  const profiles: FakeController["profiles"][number][] = [];
  const outcomes: FakeController["outcomes"][number][] = [];
  const say = (state: string) => (item: FakeItem, messages?: unknown) => {
    const texts = (Array.isArray(messages) ? messages : [messages]).map((each) => each?.args?.[0] ?? "");
    outcomes.push({ state, name: item.label, text: texts.join("\n") });
  };
  return {
    items: new Items(),
    profiles,
    outcomes,
    createTestItem: (id: string, label: string, uri: URI) => ({ id, label, uri, children: new Items() }),
    createRunProfile: (_: string, __: unknown, run: (typeof profiles)[number]["run"]) =>
      profiles.push({ run }),
    createTestRun: () => ({
      started() {},
      end() {},
      passed: say("passed"),
      failed: say("failed"),
      errored: say("errored"),
      skipped: say("skipped"),
    }),
    dispose() {},
  };
}

/** Creates an editor with one open folder. `settings`: values by their full name. */
export function createFakeEditor(
  folder: string,
  settings: Readonly<Record<string, unknown>> = {},
): FakeEditor {
  const providers = new Map<string, Anything[]>();
  const commands = new Map<string, (...args: unknown[]) => unknown>();
  const diagnostics = new Map<string, readonly { readonly message: string }[]>();
  const [statusItems, shown, tasks, panels]: [
    FakeEditor["statusItems"][number][],
    FakeEditor["shown"],
    FakeEditor["tasks"][number][],
    FakeEditor["panels"][number][],
  ] = [[], [], [], []];
  const controllers: FakeController[] = [];
  const answers: unknown[] = [];
  const contents = new Map<string, { provideTextDocumentContent(uri: URI): string }>();
  const events = Object.fromEntries(
    ["Open", "Change", "Close", "Save"].map((name) => [`onDid${name}TextDocument`, new EventEmitter()]),
  );
  const activated = new EventEmitter();
  const textDocuments: Anything[] = [];
  const uriOf = (path: string) => URI.parse(pathToFileURL(join(folder, path)).href);
  const makeDocument = (uri: URI, languageId: string, text: string) => {
    let inner = TextDocument.create(uri.toString(), languageId, 1, text);
    return {
      uri,
      languageId,
      fileName: uri.fsPath,
      isDirty: false,
      isClosed: false,
      get version() {
        return inner.version;
      },
      getText: (range?: Range) => inner.getText(range),
      offsetAt: (position: Position) => inner.offsetAt(position),
      positionAt: (offset: number) => {
        const { line, character } = inner.positionAt(offset);
        return new Position(line, character);
      },
      update(next: string) {
        inner = TextDocument.create(uri.toString(), languageId, inner.version + 1, next);
      },
    };
  };
  const workspaceFolders = [{ uri: URI.parse(pathToFileURL(folder).href), name: "folder", index: 0 }];
  const editor: FakeEditor = {
    module: {},
    ...{ providers, commands, diagnostics, statusItems, shown, tasks, panels, controllers, answers },
    isTrusted: true,
    open(path, languageId, text, cursor = 0) {
      const document = makeDocument(uriOf(path), languageId, text);
      textDocuments.push(document);
      const at = document.positionAt(cursor);
      Object.assign(window, { activeTextEditor: { document, selection: new Range(at, at) } });
      events.onDidOpenTextDocument?.fire(document);
      activated.fire(undefined);
      return document;
    },
    change(path, text) {
      const document = textDocuments.find(({ uri }) => String(uri) === uriOf(path).toString());
      const before = document as ReturnType<typeof makeDocument> | undefined;
      if (before === undefined) throw new Error(`${path} is not open`);
      const range = new Range(new Position(0, 0), before.positionAt(before.getText().length));
      const rangeLength = before.getText().length;
      before.update(text);
      const contentChanges = [{ range, rangeOffset: 0, rangeLength, text }];
      events.onDidChangeTextDocument?.fire({ document, contentChanges });
    },
  };
  const configuration = (section = "") => {
    const full = (key: string) => (section === "" ? key : `${section}.${key}`);
    return {
      get: (key: string, otherwise?: unknown) => settings[full(key)] ?? otherwise,
      has: (key: string) => full(key) in settings,
      inspect: () => undefined,
    };
  };
  const workspace = {
    textDocuments,
    notebookDocuments: [],
    workspaceFolders,
    get isTrusted() {
      return editor.isTrusted;
    },
    ...Object.fromEntries(Object.entries(events).map(([name, { event }]) => [name, event])),
    getConfiguration: configuration,
    getWorkspaceFolder: () => workspaceFolders[0],
    asRelativePath: (uri: URI) => relative(folder, uri.fsPath),
    findFiles: async (pattern: string) =>
      globSync(pattern, { cwd: folder, exclude: ["**/node_modules/**"] }).map(uriOf),
    fs: { readFile: async (uri: URI) => readFileSync(uri.fsPath) },
    registerTextDocumentContentProvider(
      scheme: string,
      provider: { provideTextDocumentContent(uri: URI): string },
    ) {
      contents.set(scheme, provider);
      return { dispose() {} };
    },
    openTextDocument: async (uri: URI) =>
      makeDocument(uri, "json", contents.get(uri.scheme)?.provideTextDocumentContent(uri) ?? ""),
    createFileSystemWatcher: () => {
      const event = () => ({ dispose() {} });
      return { onDidCreate: event, onDidChange: event, onDidDelete: event, dispose() {} };
    },
  };
  const show = (kind: string) => async (text: string) => {
    shown.push({ kind, text });
  };
  const log = namespace({ logLevel: 3, onDidChangeLogLevel: new EventEmitter().event });
  const window = {
    activeTextEditor: undefined,
    onDidChangeActiveTextEditor: activated.event,
    visibleTextEditors: [],
    tabGroups: namespace({ all: [] }),
    createOutputChannel: () => log,
    createStatusBarItem: () => {
      const item = {
        text: "",
        isShown: false,
        show: () => (item.isShown = true),
        hide: () => (item.isShown = false),
        dispose() {},
      };
      statusItems.push(item);
      return item;
    },
    createWebviewPanel: () => {
      const messages = new EventEmitter();
      const webview = {
        html: "",
        onDidReceiveMessage: messages.event,
        send: (message: unknown) => messages.fire(message),
      };
      const panel = { webview, onDidDispose: new EventEmitter().event, reveal() {} };
      panels.push(panel);
      return panel;
    },
    showErrorMessage: show("error"),
    showInformationMessage: show("information"),
    showInputBox: async (options: { value?: string }) =>
      answers.length > 0 ? answers.shift() : options.value,
    showQuickPick: async () => answers.shift(),
    showTextDocument: async (document: { getText?(): string }, options?: { selection?: Range }) => {
      const line = options?.selection?.start.line;
      shown.push({ kind: "document", text: document.getText?.() ?? `line ${(line ?? -1) + 1}` });
    },
  };
  const languages = {
    match: (
      selectors: readonly { language?: string; scheme?: string }[],
      { languageId, uri }: { languageId: string; uri: URI },
    ) =>
      selectors.some(({ language, scheme }) => language === languageId && scheme === uri.scheme) ? 10 : 0,
    createDiagnosticCollection: () => ({
      set: (uri: URI, found: readonly { readonly message: string }[]) =>
        diagnostics.set(uri.toString(), found),
      delete: (uri: URI) => diagnostics.delete(uri.toString()),
      clear: () => diagnostics.clear(),
      dispose() {},
    }),
  };
  const known: Anything = {
    version: "1.140.0",
    ...{
      CodeActionKind,
      CompletionItem,
      Diagnostic,
      Position,
      Range,
      EventEmitter,
      Disposable,
      CancellationTokenSource,
      Uri: URI,
    },
    Selection: Range,
    Location: class {},
    env: namespace({
      language: "en",
      appName: "Fake",
      onDidChangeTelemetryEnabled: new EventEmitter().event,
    }),
    extensions: namespace({ all: [] }),
    workspace: namespace(workspace),
    window: namespace(window),
    languages: namespace(languages, (name, args) => {
      const provider = args.find(
        (each, index) => index > 0 && typeof each === "object" && !Array.isArray(each),
      );
      providers.set(name, [...(providers.get(name) ?? []), provider as Anything]);
    }),
    commands: namespace({
      registerCommand(name: string, work: (...args: unknown[]) => unknown) {
        commands.set(name, work);
        return { dispose: () => commands.delete(name) };
      },
      executeCommand: async (name: string, ...args: unknown[]) => commands.get(name)?.(...args),
    }),
    tasks: namespace({
      executeTask: async (task: { args: readonly unknown[] }) => {
        tasks.push({ execution: task.args.at(-1) as { args: readonly unknown[] } });
      },
    }),
    tests: namespace({
      createTestController: () => {
        const controller = createController();
        controllers.push(controller);
        return controller;
      },
    }),
  };
  // Every other name that the editor declares: clients copy all members of the module.
  const declared = readFileSync(join(projectRoot, "node_modules/@types/vscode/index.d.ts"), "utf8");
  for (const [, name = ""] of declared.matchAll(/^\texport (?:abstract )?(?:class|enum) (\w+)/gm)) {
    known[name] ??= unknownType();
  }
  Object.assign(editor, { module: known });
  return editor;
}
