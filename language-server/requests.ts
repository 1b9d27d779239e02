// Registers the capability that answers each request of the protocol.

import type {
  CallHierarchyIncomingCall,
  CallHierarchyIncomingCallsParams,
  CallHierarchyItem,
  CallHierarchyOutgoingCall,
  CallHierarchyOutgoingCallsParams,
  CallHierarchyPrepareParams,
  CancellationToken,
  CodeActionParams,
  CodeLens,
  CodeLensParams,
  CompletionList,
  CompletionParams,
  Connection,
  DefinitionParams,
  DocumentDiagnosticParams,
  DocumentDiagnosticReport,
  DocumentFormattingParams,
  DocumentHighlight,
  DocumentHighlightParams,
  DocumentLink,
  DocumentLinkParams,
  DocumentRangeFormattingParams,
  DocumentSymbol,
  DocumentSymbolParams,
  FoldingRange,
  FoldingRangeParams,
  Hover,
  HoverParams,
  InlayHint,
  InlayHintParams,
  Location,
  Position,
  PrepareRenameParams,
  PrepareRenameResult,
  ReferenceParams,
  RenameParams,
  SelectionRange,
  SelectionRangeParams,
  SemanticTokens,
  SemanticTokensParams,
  SemanticTokensRangeParams,
  SignatureHelp,
  SignatureHelpParams,
  TextDocumentPositionParams,
  TextEdit,
  WorkspaceEdit,
} from "vscode-languageserver";
import { DocumentDiagnosticReportKind, LSPErrorCodes, ResponseError } from "vscode-languageserver";
import { type Analysis, dialectOf } from "./analysis/analysis.ts";
import { markLength } from "./analysis/positions.ts";
import { answering } from "./answering.ts";
import { incomingCalls, outgoingCalls, prepareCalls } from "./capabilities/call-hierarchy.ts";
import { codeActions } from "./capabilities/code-actions.ts";
import { codeLenses, testLenses } from "./capabilities/code-lenses.ts";
import { complete, withoutSnippet } from "./capabilities/completion/complete.ts";
import { fileRenameEdits } from "./capabilities/file-renames.ts";
import { formattingEdits, rangeFormattingEdits } from "./capabilities/formatting.ts";
import { inlayHints } from "./capabilities/hints.ts";
import { hoverAt } from "./capabilities/hover.ts";
import { documentLinks } from "./capabilities/links.ts";
import {
  definitionsAt,
  highlightsAt,
  referencesAt,
  renameAt,
  renameRange,
} from "./capabilities/navigation.ts";
import { foldingRanges, selectionAt } from "./capabilities/ranges.ts";
import { createSentTokens, semanticTokens } from "./capabilities/semantic-tokens.ts";
import { signatureHelp } from "./capabilities/signature-help.ts";
import { documentSymbols, workspaceSymbols } from "./capabilities/symbols.ts";
import type { DiagnosticsClient, Publisher } from "./publisher.ts";
import { pathOfUri } from "./workspace/paths.ts";
import type { OpenTexts } from "./workspace/texts.ts";
import type { Workspace } from "./workspace/workspace.ts";

/** The properties of the editor, as it sent them at the start of the server. */
export interface Client extends DiagnosticsClient {
  readonly commands: ReadonlySet<string>;
  /** Whether completion may insert snippets. */
  readonly takesSnippets: boolean;
}

/** The dependencies of the handlers; `log` records internal errors, `client` returns the editor's properties. */
interface Answers {
  readonly workspace: Workspace;
  readonly publisher: Publisher;
  readonly log: (error: unknown) => void;
  readonly client: () => Client;
}

/** Registers the handlers of all requests about a document or the workspace. */
export function answerRequests(connection: Connection, { workspace, publisher, log, client }: Answers): void {
  const { texts } = workspace;
  const reading = {
    texts,
    readersOf: (path: string) => workspace.readersOf(path),
    units: () => workspace.units(),
  };
  const encoding = () => client().encoding;
  const answer = answering({ workspace, log, encoding });
  const answerQuickly = answering({ workspace, log, encoding }, "latest");
  const show = answering({ workspace, log, encoding }, "legible");
  connection.onCompletion(
    answerQuickly<CompletionParams, CompletionList>(
      { isIncomplete: false, items: [] },
      async (path, newest, { position }) => {
        const text = textOf(path);
        const analysis = workspace.readableOf(path) ?? newest;
        const analyseText = (other: string) => workspace.analyseText(path, other);
        const pointed = { text, offset: offsetIn(path, position), rangeOf: rangeIn(path) };
        const items = await complete(path, pointed, {
          analysis,
          analyseText,
          folder: workspace.folderAround(path),
          readTree: workspace.treeOf,
        });
        return {
          isIncomplete: false,
          items: client().takesSnippets ? [...items] : items.map(withoutSnippet),
        };
      },
    ),
  );
  connection.onSignatureHelp(
    answerQuickly<SignatureHelpParams, SignatureHelp | null>(null, (path, analysis, { position }) => {
      const before = textOf(path).slice(0, offsetIn(path, position));
      return signatureHelp(before, dialectOf(analysis).builtins);
    }),
  );
  /** Returns the text of the compiler, without a byte order mark; offsets refer to it. */
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
  const rangeIn = (path: string) => (start: number, end: number) => {
    const document = texts.find(path);
    const mark = markLength(document?.getText() ?? "");
    const at = (offset: number) => document?.positionAt(offset + mark) ?? { line: 0, character: 0 };
    return { start: at(start), end: at(end) };
  };
  connection.onHover(
    show<HoverParams, Hover | null>(null, (path, analysis, { position }) =>
      hoverAt(analysis, path, offsetIn(path, position)),
    ),
  );
  const answerAt = <P extends TextDocumentPositionParams, R>(
    empty: R,
    work: (analysis: Analysis, path: string, offset: number, parameters: P) => R | Promise<R>,
    from = answer,
  ) =>
    from<P, R>(empty, (path, analysis, parameters) =>
      work(analysis, path, offsetIn(path, parameters.position), parameters),
    );
  /**
   * Wraps the handler of a request about an item of the call hierarchy, which belongs to the document that contains
   * the item.
   */
  const ofItem = <P extends { readonly item: CallHierarchyItem }, R>(
    empty: R,
    work: (analysis: Analysis, item: CallHierarchyItem, texts: OpenTexts) => Readonly<R>,
  ) => {
    const inDocument = answer<P & { readonly textDocument: { readonly uri: string } }, R>(
      empty,
      (_, analysis, { item }) => work(analysis, item, texts) as R,
    );
    return (parameters: P, token: CancellationToken) =>
      inDocument({ ...parameters, textDocument: { uri: parameters.item.uri } }, token);
  };
  connection.onDefinition(
    answerAt<DefinitionParams, Location[]>(
      [],
      async (analysis, path, offset) => [...(await definitionsAt(analysis, path, offset, reading))],
      show,
    ),
  );
  connection.onReferences(
    answerAt<ReferenceParams, Location[]>([], async (analysis, path, offset, { context }) => [
      ...(await referencesAt(analysis, path, offset, context.includeDeclaration, reading)),
    ]),
  );
  connection.onDocumentHighlight(
    answerAt<DocumentHighlightParams, DocumentHighlight[]>(
      [],
      async (analysis, path, offset) => [...(await highlightsAt(analysis, path, offset, reading))],
      show,
    ),
  );
  connection.onPrepareRename(
    answerAt<PrepareRenameParams, PrepareRenameResult | null>(null, (analysis, path, offset) =>
      renameRange(analysis, path, offset, reading),
    ),
  );
  connection.onRenameRequest(
    answerAt<RenameParams, WorkspaceEdit | null>(null, (analysis, path, offset, { newName }) =>
      renameAt(analysis, path, offset, newName, reading),
    ),
  );
  connection.workspace.onWillRenameFiles(async ({ files }) => {
    try {
      return encoding().toEditor(await fileRenameEdits(files, reading), "");
    } catch (error) {
      log(error);
      return null;
    }
  });
  connection.onDocumentSymbol(
    show<DocumentSymbolParams, DocumentSymbol[]>([], (path, analysis) => [
      ...documentSymbols(analysis, path),
    ]),
  );
  connection.onWorkspaceSymbol(async ({ query }) => {
    await workspace.settled();
    const found = workspace
      .units()
      .flatMap(({ analysis }) => (analysis === undefined ? [] : workspaceSymbols(analysis, query, texts)));
    return encoding().toEditor(found, "");
  });
  const reportOn = answer<DocumentDiagnosticParams, DocumentDiagnosticReport>(
    { kind: DocumentDiagnosticReportKind.Full, items: [] },
    (path, _, { previousResultId }) => publisher.report(path, workspace.units(), previousResultId),
  );
  connection.languages.diagnostics.on(async (parameters, token) => {
    const report = await reportOn(parameters, token);
    return report instanceof ResponseError
      ? new ResponseError(LSPErrorCodes.ServerCancelled, report.message, { retriggerRequest: true })
      : report;
  });
  connection.languages.diagnostics.onWorkspace(async ({ previousResultIds }) => {
    await workspace.settled();
    return encoding().toEditor(publisher.reportAll(workspace.units(), previousResultIds), "");
  });
  connection.onFoldingRanges(
    show<FoldingRangeParams, FoldingRange[]>([], (path, analysis) => [...foldingRanges(analysis, path)]),
  );
  connection.onSelectionRanges(
    show<SelectionRangeParams, SelectionRange[]>([], (path, analysis, { positions }) =>
      positions.map((position) => {
        const document = texts.find(path);
        // A position beyond the text counts as its end.
        const at = document?.positionAt(document.offsetAt(position)) ?? position;
        return selectionAt(analysis, path, offsetIn(path, position)) ?? { range: { start: at, end: at } };
      }),
    ),
  );
  connection.languages.inlayHint.on(
    show<InlayHintParams, InlayHint[]>([], (path, analysis, { range }) => [
      ...inlayHints(analysis, path, range),
    ]),
  );
  const ofAnalysis = show<CodeLensParams, CodeLens[]>([], (path, analysis, { textDocument: { uri } }) => [
    ...codeLenses(analysis, { path, uri, commands: client().commands }),
  ]);
  connection.onCodeLens(async (parameters, token) => {
    const { uri } = parameters.textDocument;
    const path = pathOfUri(uri);
    const found = await ofAnalysis(parameters, token);
    return Array.isArray(found)
      ? [...found, ...testLenses(textOf(path), { path, uri, commands: client().commands })]
      : found;
  });
  const sentTokens = createSentTokens((uri) => texts.find(pathOfUri(uri)) !== undefined);
  const tokensOf = show<SemanticTokensParams, SemanticTokens>({ data: [] }, (path, analysis) =>
    semanticTokens(analysis, path),
  );
  connection.languages.semanticTokens.on(async (parameters, token) => {
    const tokens = await tokensOf(parameters, token);
    return tokens instanceof ResponseError ? tokens : sentTokens.all(parameters.textDocument.uri, tokens);
  });
  connection.languages.semanticTokens.onDelta(async (parameters, token) => {
    const { textDocument, previousResultId } = parameters;
    const tokens = await tokensOf(parameters, token);
    return tokens instanceof ResponseError
      ? tokens
      : sentTokens.since(previousResultId, textDocument.uri, tokens);
  });
  connection.languages.semanticTokens.onRange(
    show<SemanticTokensRangeParams, SemanticTokens>({ data: [] }, (path, analysis, { range }) =>
      semanticTokens(analysis, path, range),
    ),
  );
  connection.onDocumentLinks(
    show<DocumentLinkParams, DocumentLink[]>([], (path, analysis) => [
      ...documentLinks(analysis, path, texts),
    ]),
  );
  connection.onDocumentFormatting(
    answer<DocumentFormattingParams, TextEdit[]>([], (path, analysis) => [
      ...formattingEdits(analysis, path),
    ]),
  );
  connection.onDocumentRangeFormatting(
    answer<DocumentRangeFormattingParams, TextEdit[]>([], (path, analysis, { range }) => [
      ...rangeFormattingEdits(analysis, path, range),
    ]),
  );
  connection.languages.callHierarchy.onPrepare(
    answerAt<CallHierarchyPrepareParams, CallHierarchyItem[]>([], (analysis, path, offset) => [
      ...prepareCalls(analysis, path, offset, texts),
    ]),
  );
  connection.languages.callHierarchy.onIncomingCalls(
    ofItem<CallHierarchyIncomingCallsParams, CallHierarchyIncomingCall[]>([], incomingCalls),
  );
  connection.languages.callHierarchy.onOutgoingCalls(
    ofItem<CallHierarchyOutgoingCallsParams, CallHierarchyOutgoingCall[]>([], outgoingCalls),
  );
  connection.onCodeAction(
    answer([], (path, analysis, { range, context }: CodeActionParams) => [
      ...codeActions(path, range, context.only, analysis, texts),
    ]),
  );
}
