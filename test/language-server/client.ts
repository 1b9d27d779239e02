import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite, type uvu } from "uvu";
import * as assert from "uvu/assert";
import {
  CancellationTokenSource,
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import type {
  ClientCapabilities,
  Diagnostic,
  Position,
  PublishDiagnosticsParams,
  ServerCapabilities,
  TextEdit,
  WorkspaceEdit,
} from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import { lensCommands } from "../../language-server/capabilities/code-lenses.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { sluiceCommand } from "../harness/sluice.ts";

/** An editor with one folder open that talks to `sluice lsp`. */
export interface Editor {
  readonly folder: string;
  /** The server's process. */
  readonly pid: number | undefined;
  readonly capabilities: ServerCapabilities;
  /** What the server wrote to its log. */
  readonly log: readonly string[];
  /** The address of a file of the folder. */
  uri(name: string): string;
  /** Writes files to the folder and notifies the server. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
  /** Deletes a file or folder of the folder and notifies the server. */
  remove(name: string): Promise<void>;
  /** Opens a document, or replaces the text of an open one as one change. */
  open(name: string, text: string): Promise<void>;
  /** Puts `text` in place of a range of an open document. */
  edit(name: string, start: number, end: number, text: string): Promise<void>;
  close(name: string): Promise<void>;
  textOf(name: string): string;
  /** What is wrong with a document, as soon as its newest version was checked. */
  diagnose(name: string): Promise<readonly Diagnostic[]>;
  /** What was published last for a file, open or not. */
  published(name: string): readonly Diagnostic[] | undefined;
  /** Waits until a file's diagnostics meet a condition. */
  until(name: string, condition: (found: readonly Diagnostic[]) => boolean): Promise<readonly Diagnostic[]>;
  /** A request about a place: an offset, or the place of `|` in the text that was opened. */
  ask<R>(method: string, name: string, at?: number | Position, more?: object): Promise<R>;
  request<R>(method: string, parameters: unknown): Promise<R>;
  notify(method: string, parameters: unknown): Promise<void>;
  /** Waits until the server has asked so many times for reading all diagnostics anew. */
  refreshed(times: number): Promise<unknown>;
  /** Asks as `ask` does, and cancels the request right after it was sent. */
  askAndCancel<R>(method: string, name: string, at?: number, more?: object): Promise<R>;
  stop(): Promise<number | null>;
}

/** Completion with snippets, as most editors have it. */
const snippets: ClientCapabilities = {
  textDocument: { completion: { completionItem: { snippetSupport: true } } },
};

/**
 * A suite whose tests share one editor with `files` in its folder, in which `begin` has been done. Nothing in the server may
 * fail, and it has to end well.
 */
export function editorSuite(
  name: string,
  files: Readonly<Record<string, string>> = {},
  begin: (editor: Editor) => Promise<void> = async () => undefined,
): uvu.Test<{ editor: Editor }> {
  const tests = suite<{ editor: Editor }>(name);
  tests.before(async (context) => {
    context.editor = await startEditor(files);
    await begin(context.editor);
  });
  tests.after(async ({ editor }) => {
    assert.equal(editor.log, [], "nothing in the server failed");
    assert.is(await editor.stop(), 0);
  });
  return tests;
}

/** Starts the server as editors do; `can` is what the editor says of itself; it follows files and folders where that does not say otherwise. */
export async function startEditor(
  files: Readonly<Record<string, string>> = {},
  can: ClientCapabilities = snippets,
): Promise<Editor> {
  const folder = temporaryDirectory("editor");
  const save = (named: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(named)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  };
  save(files);
  const child = spawn(process.execPath, [sluiceCommand, "lsp", "--stdio"], {
    cwd: folder,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const latest = new Map<string, PublishDiagnosticsParams>();
  const watching = new Set<() => void>();
  const log: string[] = [];
  const refreshes = { count: 0 };
  connection.onNotification("textDocument/publishDiagnostics", (published: PublishDiagnosticsParams) => {
    latest.set(published.uri, published);
    for (const look of [...watching]) look();
  });
  connection.onNotification("window/logMessage", ({ message }: { message: string }) => {
    log.push(message);
  });
  connection.onRequest("client/registerCapability", () => null);
  connection.onRequest("workspace/inlayHint/refresh", () => null);
  connection.onRequest("workspace/semanticTokens/refresh", () => null);
  connection.onRequest("workspace/codeLens/refresh", () => null);
  connection.onRequest("workspace/diagnostic/refresh", () => {
    refreshes.count++;
    for (const look of [...watching]) look();
    return null;
  });
  connection.listen();
  const rootUri = pathToFileURL(folder).href;
  const { capabilities } = await connection.sendRequest<{ capabilities: ServerCapabilities }>("initialize", {
    processId: process.pid,
    rootUri,
    initializationOptions: { commands: Object.values(lensCommands) },
    workspaceFolders: [{ uri: rootUri, name: "folder" }],
    capabilities: {
      ...can,
      workspace: {
        workspaceFolders: true,
        didChangeWatchedFiles: { dynamicRegistration: true },
        ...can.workspace,
      },
    },
  });
  await connection.sendNotification("initialized", {});
  const open = new Map<string, TextDocument>();
  const uri = (name: string) => pathToFileURL(join(folder, name)).href;
  const documentOf = (name: string): TextDocument => {
    const document = open.get(uri(name));
    if (document === undefined) throw new Error(`${name} is not open`);
    return document;
  };
  const wait = (look: () => readonly Diagnostic[] | undefined) =>
    new Promise<readonly Diagnostic[]>((resolve) => {
      const again = () => {
        const found = look();
        if (found === undefined) return;
        watching.delete(again);
        resolve(found);
      };
      watching.add(again);
      again();
    });
  const change = async (name: string, start: number, end: number, text: string) => {
    const document = documentOf(name);
    const range = { start: document.positionAt(start), end: document.positionAt(end) };
    const contentChanges = [{ range, text }];
    const version = document.version + 1;
    TextDocument.update(document, contentChanges, version);
    const textDocument = { uri: uri(name), version };
    await connection.sendNotification("textDocument/didChange", { textDocument, contentChanges });
  };
  const about = (name: string, at: number | Position | undefined, more: object) => {
    const position = typeof at === "number" ? documentOf(name).positionAt(at) : at;
    return { textDocument: { uri: uri(name) }, ...(position && { position }), ...more };
  };
  return {
    folder,
    pid: child.pid,
    capabilities,
    log,
    uri,
    async write(named) {
      save(named);
      const changes = Object.keys(named).map((name) => ({ uri: uri(name), type: 2 }));
      await connection.sendNotification("workspace/didChangeWatchedFiles", { changes });
    },
    async remove(name) {
      rmSync(join(folder, name), { recursive: true });
      const changes = [{ uri: uri(name), type: 3 }];
      await connection.sendNotification("workspace/didChangeWatchedFiles", { changes });
    },
    async open(name, text) {
      const known = open.get(uri(name));
      if (known !== undefined) return change(name, 0, known.getText().length, text);
      const languageId = /\.(\w+)$/.exec(name)?.[1] ?? "yaml";
      open.set(uri(name), TextDocument.create(uri(name), languageId, 1, text));
      const textDocument = { uri: uri(name), languageId, version: 1, text };
      await connection.sendNotification("textDocument/didOpen", { textDocument });
    },
    edit: change,
    async close(name) {
      open.delete(uri(name));
      await connection.sendNotification("textDocument/didClose", { textDocument: { uri: uri(name) } });
    },
    textOf: (name) => documentOf(name).getText(),
    diagnose: (name) =>
      wait(() => {
        const found = latest.get(uri(name));
        return found?.version === documentOf(name).version ? found.diagnostics : undefined;
      }),
    published: (name) => latest.get(uri(name))?.diagnostics,
    until: (name, condition) =>
      wait(() => {
        const found = latest.get(uri(name))?.diagnostics ?? [];
        return condition(found) ? found : undefined;
      }),
    ask: (method, name, at, more = {}) => connection.sendRequest(method, about(name, at, more)),
    async askAndCancel(method, name, at, more = {}) {
      const source = new CancellationTokenSource();
      const answer = connection.sendRequest<never>(method, about(name, at, more), source.token);
      source.cancel();
      return answer;
    },
    request: (method, parameters) => connection.sendRequest(method, parameters),
    notify: (method, parameters) => connection.sendNotification(method, parameters),
    refreshed: (times) => wait(() => (refreshes.count >= times ? [] : undefined)),
    async stop() {
      await connection.sendRequest("shutdown");
      await connection.sendNotification("exit");
      const [code] = await ended;
      connection.dispose();
      return code;
    },
  };
}

/** A text whose `|` says where the pointer stands. */
export function marked(text: string): { readonly text: string; readonly at: number } {
  const at = text.indexOf("‸");
  return { text: text.slice(0, at) + text.slice(at + 1), at };
}

/** The text after the edits of a document were carried out. */
export function applied(text: string, edits: readonly TextEdit[]): string {
  return TextDocument.applyEdits(TextDocument.create("file:///edited", "", 0, text), [...edits]);
}

/** The edits of one document in a workspace edit. */
export function editsOf(edit: WorkspaceEdit | undefined | null, uri: string): readonly TextEdit[] {
  return edit?.changes?.[uri] ?? [];
}
