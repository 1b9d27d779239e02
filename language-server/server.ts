// The server's side of the protocol: what it offers, and which capability answers what.

import {
  type CodeActionParams,
  type CompletionList,
  type CompletionParams,
  type Connection,
  DidChangeWatchedFilesNotification,
  type Hover,
  type HoverParams,
  type InitializeParams,
  type InitializeResult,
  type Position,
  type SignatureHelp,
  type SignatureHelpParams,
  TextDocumentSyncKind,
  TextDocuments,
} from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { coreDialect } from "../compiler/trees/dialect.ts";
import { answering } from "./answering.ts";
import { codeActions, fixAllKind } from "./capabilities/code-actions.ts";
import { complete } from "./capabilities/completion/complete.ts";
import { hoverAt } from "./capabilities/hover.ts";
import { signatureHelp } from "./capabilities/signature-help.ts";
import { createPublisher } from "./publisher.ts";
import { pathOfUri } from "./workspace/paths.ts";
import { createOpenTexts } from "./workspace/texts.ts";
import { createWorkspace } from "./workspace/workspace.ts";

/** Files whose changes on the disk count. */
const watched = "**/*.{yaml,yml,json,blobl,bloblang}";

/** Answers an editor over a connection that is not listening yet. */
export function serve(connection: Connection): void {
  const documents = new TextDocuments(TextDocument);
  const texts = createOpenTexts(() => documents.all());
  const publish = createPublisher(connection, texts);
  const log = (error: unknown) =>
    connection.console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const workspace = createWorkspace(texts, {
    checked: () => publish(workspace.units()),
    failed: log,
  });
  const answer = answering({ workspace, log });
  let folders: readonly string[] = [];
  let canWatch = false;
  let canFollowFolders = false;

  connection.onInitialize((parameters: InitializeParams): InitializeResult => {
    folders = foldersOf(parameters);
    canWatch = parameters.capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true;
    canFollowFolders = parameters.capabilities.workspace?.workspaceFolders === true;
    return {
      serverInfo: { name: "sluice" },
      capabilities: {
        positionEncoding: "utf-16",
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: false },
        hoverProvider: true,
        completionProvider: { triggerCharacters: [".", "@", "$", '"', "/", " ", "{"] },
        signatureHelpProvider: { triggerCharacters: ["(", ","], retriggerCharacters: [":"] },
        codeActionProvider: { codeActionKinds: ["quickfix", fixAllKind] },
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      },
    };
  });

  connection.onInitialized(async () => {
    try {
      if (canWatch) {
        const watchers = [{ globPattern: watched }];
        await connection.client.register(DidChangeWatchedFilesNotification.type, { watchers });
      }
      if (canFollowFolders) {
        connection.workspace.onDidChangeWorkspaceFolders(async ({ added, removed }) => {
          workspace.removeFolders(removed.map(({ uri }) => pathOfUri(uri)));
          await workspace.addFolders(added.map(({ uri }) => pathOfUri(uri)));
        });
      }
      await workspace.addFolders(folders);
    } catch (error) {
      log(error);
    }
  });

  documents.onDidOpen(({ document }) => void workspace.opened(pathOfUri(document.uri)).catch(log));
  documents.onDidChangeContent(({ document }) => workspace.changed(pathOfUri(document.uri)));
  documents.onDidClose(({ document }) => workspace.closed(pathOfUri(document.uri)));
  documents.listen(connection);
  connection.onDidChangeWatchedFiles(({ changes }) => {
    for (const { uri } of changes) workspace.changed(pathOfUri(uri));
  });
  connection.onShutdown(() => workspace.stop());

  const answerQuickly = answering({ workspace, log }, "latest");
  connection.onCompletion(
    answerQuickly<CompletionParams, CompletionList>(
      { isIncomplete: false, items: [] },
      async (path, analysis, { position }) => {
        const text = texts.find(path)?.getText() ?? "";
        const analyseText = (other: string) => workspace.analyseText(path, other);
        const items = await complete(path, text, offsetIn(path, position), { analysis, analyseText });
        return { isIncomplete: false, items: [...items] };
      },
    ),
  );
  connection.onSignatureHelp(
    answerQuickly<SignatureHelpParams, SignatureHelp | null>(null, (path, { set }, { position }) => {
      const before = texts.find(path)?.getText().slice(0, offsetIn(path, position)) ?? "";
      return signatureHelp(before, (set?.dialect ?? coreDialect).builtins);
    }),
  );
  const offsetIn = (path: string, position: Position) => texts.find(path)?.offsetAt(position) ?? 0;
  connection.onHover(
    answer<HoverParams, Hover | null>(null, (path, analysis, { position }) =>
      hoverAt(analysis, path, offsetIn(path, position)),
    ),
  );
  connection.onCodeAction(
    answer([], (path, analysis, { range, context }: CodeActionParams) => [
      ...codeActions(path, range, context.only, analysis, texts),
    ]),
  );
}

function foldersOf({ workspaceFolders, rootUri }: InitializeParams): readonly string[] {
  if (workspaceFolders && workspaceFolders.length > 0)
    return workspaceFolders.map(({ uri }) => pathOfUri(uri));
  return rootUri ? [pathOfUri(rootUri)] : [];
}
