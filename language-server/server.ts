// The server's side of the protocol: its connection, the texts that are open, and what it offers.

import {
  type Connection,
  DidChangeWatchedFilesNotification,
  FileChangeType,
  type InitializeParams,
  type InitializeResult,
  TextDocuments,
} from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { offered } from "./offered.ts";
import { createPublisher } from "./publisher.ts";
import { answerRequests, type Client } from "./requests.ts";
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
  let folders: readonly string[] = [];
  let canWatch = false;
  let canFollowFolders = false;
  let client: Client = { commands: new Set(), takesSnippets: false };

  connection.onInitialize((parameters: InitializeParams): InitializeResult => {
    folders = foldersOf(parameters);
    const { completionItem } = parameters.capabilities.textDocument?.completion ?? {};
    client = {
      commands: commandsOf(parameters),
      takesSnippets: completionItem?.snippetSupport === true,
    };
    canWatch = parameters.capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true;
    canFollowFolders = parameters.capabilities.workspace?.workspaceFolders === true;
    return {
      serverInfo: { name: "sluice" },
      capabilities: offered,
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
    for (const { uri, type } of changes)
      workspace[type === FileChangeType.Deleted ? "deleted" : "changed"](pathOfUri(uri));
  });
  connection.onShutdown(() => workspace.stop());
  answerRequests(connection, workspace, log, () => client);
}

/** The commands that an editor says it has: `{ "commands": ["sluice.test"] }` in its options. */
function commandsOf({ initializationOptions }: InitializeParams): ReadonlySet<string> {
  const given: unknown = initializationOptions?.commands;
  return new Set(
    Array.isArray(given) ? given.filter((each): each is string => typeof each === "string") : [],
  );
}

function foldersOf({ workspaceFolders, rootUri }: InitializeParams): readonly string[] {
  if (workspaceFolders && workspaceFolders.length > 0)
    return workspaceFolders.map(({ uri }) => pathOfUri(uri));
  return rootUri ? [pathOfUri(rootUri)] : [];
}
