// The server's side of the protocol: what it offers, and which capability answers what.

import {
  type CodeActionParams,
  type CodeLens,
  type CodeLensParams,
  type CompletionList,
  type CompletionParams,
  type Connection,
  type DefinitionParams,
  DidChangeWatchedFilesNotification,
  type DocumentFormattingParams,
  type DocumentHighlight,
  type DocumentHighlightParams,
  type DocumentLink,
  type DocumentLinkParams,
  type DocumentSymbol,
  type DocumentSymbolParams,
  type FoldingRange,
  type FoldingRangeParams,
  type Hover,
  type HoverParams,
  type InitializeParams,
  type InitializeResult,
  type InlayHint,
  type InlayHintParams,
  type Location,
  type Position,
  type PrepareRenameParams,
  type PrepareRenameResult,
  type ReferenceParams,
  type RenameParams,
  type SelectionRange,
  type SelectionRangeParams,
  type SemanticTokens,
  type SemanticTokensParams,
  type SignatureHelp,
  type SignatureHelpParams,
  type TextDocumentPositionParams,
  TextDocuments,
  type TextEdit,
  type WorkspaceEdit,
} from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { coreDialect } from "../compiler/trees/dialect.ts";
import type { Analysis } from "./analysis/analysis.ts";
import { markLength } from "./analysis/positions.ts";
import { answering } from "./answering.ts";
import { codeActions } from "./capabilities/code-actions.ts";
import { complete } from "./capabilities/completion/complete.ts";
import { formattingEdits } from "./capabilities/formatting.ts";
import { codeLenses, inlayHints } from "./capabilities/hints.ts";
import { hoverAt } from "./capabilities/hover.ts";
import { documentLinks } from "./capabilities/links.ts";
import { definitionsAt, referencesAt, renameAt, renameRange } from "./capabilities/navigation.ts";
import { foldingRanges, selectionAt } from "./capabilities/ranges.ts";
import { semanticTokens } from "./capabilities/semantic-tokens.ts";
import { signatureHelp } from "./capabilities/signature-help.ts";
import { documentSymbols, workspaceSymbols } from "./capabilities/symbols.ts";
import { offered } from "./offered.ts";
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
    for (const { uri } of changes) workspace.changed(pathOfUri(uri));
  });
  connection.onShutdown(() => workspace.stop());

  const answerQuickly = answering({ workspace, log }, "latest");
  connection.onCompletion(
    answerQuickly<CompletionParams, CompletionList>(
      { isIncomplete: false, items: [] },
      async (path, analysis, { position }) => {
        const text = textOf(path);
        const analyseText = (other: string) => workspace.analyseText(path, other);
        const items = await complete(path, text, offsetIn(path, position), { analysis, analyseText });
        return { isIncomplete: false, items: [...items] };
      },
    ),
  );
  connection.onSignatureHelp(
    answerQuickly<SignatureHelpParams, SignatureHelp | null>(null, (path, { set }, { position }) => {
      const before = textOf(path).slice(0, offsetIn(path, position));
      return signatureHelp(before, (set?.dialect ?? coreDialect).builtins);
    }),
  );
  /** Texts and offsets are those of the compiler, without a byte order mark. */
  const textOf = (path: string) => {
    const text = texts.find(path)?.getText() ?? "";
    return text.slice(markLength(text));
  };
  const offsetIn = (path: string, position: Position) => {
    const document = texts.find(path);
    return document === undefined
      ? 0
      : Math.max(0, document.offsetAt(position) - markLength(document.getText()));
  };
  connection.onHover(
    answer<HoverParams, Hover | null>(null, (path, analysis, { position }) =>
      hoverAt(analysis, path, offsetIn(path, position)),
    ),
  );
  const answerAt = <P extends TextDocumentPositionParams, R>(
    empty: R,
    work: (analysis: Analysis, path: string, offset: number, parameters: P) => R,
  ) =>
    answer<P, R>(empty, (path, analysis, parameters) =>
      work(analysis, path, offsetIn(path, parameters.position), parameters),
    );
  connection.onDefinition(
    answerAt<DefinitionParams, Location[]>([], (...at) => [...definitionsAt(at[0], at[1], at[2], texts)]),
  );
  connection.onReferences(
    answerAt<ReferenceParams, Location[]>([], (analysis, path, offset, { context }) => [
      ...referencesAt(analysis, path, offset, context.includeDeclaration, texts),
    ]),
  );
  connection.onDocumentHighlight(
    answerAt<DocumentHighlightParams, DocumentHighlight[]>([], (analysis, path, offset) =>
      referencesAt(analysis, path, offset, true, texts)
        .filter(({ uri }) => uri === texts.uriOf(path))
        .map(({ range }) => ({ range })),
    ),
  );
  connection.onPrepareRename(answerAt<PrepareRenameParams, PrepareRenameResult | null>(null, renameRange));
  connection.onRenameRequest(
    answerAt<RenameParams, WorkspaceEdit | null>(null, (analysis, path, offset, { newName }) =>
      renameAt(analysis, path, offset, newName, texts),
    ),
  );
  connection.onDocumentSymbol(
    answer<DocumentSymbolParams, DocumentSymbol[]>([], (path, analysis) => [
      ...documentSymbols(analysis, path),
    ]),
  );
  connection.onWorkspaceSymbol(async ({ query }) => {
    await workspace.settled();
    return workspace
      .units()
      .flatMap(({ analysis }) => (analysis === undefined ? [] : workspaceSymbols(analysis, query, texts)));
  });
  connection.onFoldingRanges(
    answer<FoldingRangeParams, FoldingRange[]>([], (path, analysis) => [...foldingRanges(analysis, path)]),
  );
  connection.onSelectionRanges(
    answer<SelectionRangeParams, SelectionRange[]>([], (path, analysis, { positions }) =>
      positions.map(
        (position) =>
          selectionAt(analysis, path, offsetIn(path, position)) ?? {
            range: { start: position, end: position },
          },
      ),
    ),
  );
  connection.languages.inlayHint.on(
    answer<InlayHintParams, InlayHint[]>([], (path, analysis, { range }) => [
      ...inlayHints(analysis, path, range),
    ]),
  );
  connection.onCodeLens(
    answer<CodeLensParams, CodeLens[]>([], (path, analysis) => [...codeLenses(analysis, path)]),
  );
  connection.languages.semanticTokens.on(
    answer<SemanticTokensParams, SemanticTokens>({ data: [] }, (path, analysis) =>
      semanticTokens(analysis, path),
    ),
  );

  connection.onDocumentLinks(
    answer<DocumentLinkParams, DocumentLink[]>([], (path, analysis) => [
      ...documentLinks(analysis, path, texts),
    ]),
  );
  connection.onDocumentFormatting(
    answer<DocumentFormattingParams, TextEdit[]>([], (path, analysis) => [
      ...formattingEdits(analysis, path),
    ]),
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
