// The server side of the protocol: its connection, the open texts, and the offered capabilities.

import {
  type Connection,
  DidChangeWatchedFilesNotification,
  FileChangeType,
  type InitializeParams,
  type InitializeResult,
} from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { agreeOnEncoding, ownChange } from "./encoding.ts";
import { offered } from "./offered.ts";
import { createPublisher } from "./publisher.ts";
import { answerRequests, type Client } from "./requests.ts";
import { pathOfUri } from "./workspace/paths.ts";
import { createOpenTexts } from "./workspace/texts.ts";
import type { FollowFiles } from "./workspace/watching.ts";
import { createWorkspace } from "./workspace/workspace.ts";

/** The files whose changes on disk are watched. */
const watched = "**/*.{yaml,yml,json,blobl,bloblang}";

/** Services of the machine that the server uses; absent in browsers. */
export interface Machine {
  /** Watches files on disk if the editor cannot. */
  readonly followFiles: FollowFiles;
  /** Called when no check is pending. */
  readonly paused: () => void;
}

/** Serves an editor over a connection that is not listening yet. */
export function serve(connection: Connection, machine?: Machine): void {
  let client: Client = {
    commands: new Set(),
    takesSnippets: false,
    encoding: agreeOnEncoding(undefined, () => texts),
    pulls: false,
    refreshes: false,
  };
  const texts = createOpenTexts((change, document) => ownChange(change, document, client.encoding));
  const publisher = createPublisher(connection, texts, () => client);
  const log = (error: unknown) =>
    connection.console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const workspace = createWorkspace(texts, {
    checked: () => {
      following?.update();
      publisher.checked(workspace.units());
      machine?.paused();
    },
    failed: log,
  });
  let following: ReturnType<FollowFiles> | undefined;
  let folders: readonly string[] = [];
  let canWatch = false;
  let canFollowFolders = false;

  connection.onInitialize((parameters: InitializeParams): InitializeResult => {
    folders = foldersOf(parameters);
    const { general, textDocument, workspace: ofWorkspace } = parameters.capabilities;
    client = {
      commands: commandsOf(parameters),
      takesSnippets: textDocument?.completion?.completionItem?.snippetSupport === true,
      encoding: agreeOnEncoding(general?.positionEncodings, () => texts),
      pulls: textDocument?.diagnostic !== undefined,
      refreshes: ofWorkspace?.diagnostics?.refreshSupport === true,
    };
    canWatch = ofWorkspace?.didChangeWatchedFiles?.dynamicRegistration === true;
    canFollowFolders = ofWorkspace?.workspaceFolders === true;
    return {
      serverInfo: { name: "sluice" },
      capabilities: { ...offered, positionEncoding: client.encoding.kind },
    };
  });

  connection.onInitialized(async () => {
    // Begins immediately: later requests wait for the sets of the folders, however long the editor takes to respond
    // to the registration.
    const searched = workspace.addFolders(folders).catch(log);
    try {
      if (canWatch) {
        const watchers = [{ globPattern: watched }];
        await connection.client.register(DidChangeWatchedFilesNotification.type, { watchers });
      } else {
        following = machine?.followFiles(workspace);
      }
      if (canFollowFolders) {
        connection.workspace.onDidChangeWorkspaceFolders(async ({ added, removed }) => {
          workspace.removeFolders(removed.map(({ uri }) => pathOfUri(uri)));
          await workspace.addFolders(added.map(({ uri }) => pathOfUri(uri))).catch(log);
        });
      }
    } catch (error) {
      log(error);
    }
    await searched;
  });

  connection.onDidOpenTextDocument(({ textDocument: { uri, languageId, version, text } }) => {
    texts.open(TextDocument.create(uri, languageId, version ?? 0, text));
    workspace.opened(pathOfUri(uri)).catch(log);
  });
  connection.onDidChangeTextDocument(({ textDocument: { uri, version }, contentChanges }) => {
    const path = pathOfUri(uri);
    if (texts.change(path, version, contentChanges)) workspace.changed(path);
    else log(`${uri} was changed, but is not open.`);
  });
  connection.onDidCloseTextDocument(({ textDocument: { uri } }) => {
    texts.close(pathOfUri(uri));
    workspace.closed(pathOfUri(uri));
  });
  connection.onDidChangeWatchedFiles(({ changes }) => {
    for (const { uri, type } of changes)
      workspace[type === FileChangeType.Deleted ? "deleted" : "changed"](pathOfUri(uri));
  });
  // File operations of the editor itself: an editor that cannot watch files reports nothing else about them.
  connection.workspace.onDidCreateFiles(({ files }) => {
    for (const { uri } of files) workspace.changed(pathOfUri(uri));
  });
  connection.workspace.onDidDeleteFiles(({ files }) => {
    for (const { uri } of files) workspace.deleted(pathOfUri(uri));
  });
  connection.workspace.onDidRenameFiles(({ files }) => {
    for (const { oldUri, newUri } of files) {
      workspace.deleted(pathOfUri(oldUri));
      workspace.changed(pathOfUri(newUri));
    }
  });
  connection.onShutdown(() => {
    following?.stop();
    workspace.stop();
  });
  answerRequests(connection, { workspace, publisher, log, client: () => client });
}

/** Returns the commands that an editor declares in its options: `{ "commands": ["sluice.test"] }`. */
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
