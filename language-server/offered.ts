// The capabilities that the server offers to editors.

import {
  type FileOperationRegistrationOptions,
  type ServerCapabilities,
  TextDocumentSyncKind,
} from "vscode-languageserver";
import { fixAllKind } from "./capabilities/code-actions.ts";
import { tokenTypes } from "./capabilities/semantic-tokens.ts";

/** All files: documents may name files of every kind, and a folder is renamed together with its content. */
const anyFile: FileOperationRegistrationOptions = {
  filters: [{ scheme: "file", pattern: { glob: "**/*" } }],
};

/** The server's capabilities, independent of the editor; the encoding of positions is negotiated separately. */
export const offered: ServerCapabilities = {
  textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: false },
  hoverProvider: true,
  definitionProvider: true,
  referencesProvider: true,
  documentHighlightProvider: true,
  renameProvider: { prepareProvider: true },
  documentSymbolProvider: true,
  workspaceSymbolProvider: true,
  documentFormattingProvider: true,
  documentRangeFormattingProvider: true,
  callHierarchyProvider: true,
  documentLinkProvider: {},
  foldingRangeProvider: true,
  selectionRangeProvider: true,
  inlayHintProvider: true,
  codeLensProvider: {},
  semanticTokensProvider: {
    legend: { tokenTypes: [...tokenTypes], tokenModifiers: [] },
    full: { delta: true },
    range: true,
  },
  completionProvider: { triggerCharacters: [".", "@", "$", "#", '"', "/", " ", "{"] },
  signatureHelpProvider: { triggerCharacters: ["(", ","], retriggerCharacters: [":"] },
  diagnosticProvider: { identifier: "sluice", interFileDependencies: true, workspaceDiagnostics: true },
  codeActionProvider: { codeActionKinds: ["quickfix", fixAllKind] },
  workspace: {
    workspaceFolders: { supported: true, changeNotifications: true },
    fileOperations: { willRename: anyFile, didRename: anyFile, didCreate: anyFile, didDelete: anyFile },
  },
};
