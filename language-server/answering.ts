// Answers requests about a document: always for its newest text. An internal error is logged and results in an empty
// response, so that the server continues to run.

import { type CancellationToken, LSPErrorCodes, ResponseError } from "vscode-languageserver";
import type { Analysis } from "./analysis/analysis.ts";
import type { PositionEncoding } from "./encoding.ts";
import { pathOfUri } from "./workspace/paths.ts";
import type { Workspace } from "./workspace/workspace.ts";

/** A request about one document. */
interface DocumentRequest {
  readonly textDocument: { readonly uri: string };
}

/** The dependencies of the handlers. */
export interface Answering {
  readonly workspace: Workspace;
  readonly log: (error: unknown) => void;
  /** Returns the encoding in which the editor counts positions. */
  readonly encoding: () => PositionEncoding;
}

/** The analysis of a document that a handler uses. */
const analyses = {
  newest: "analysisOf",
  /** For handlers that read the newest text themselves: the analysis of an older text, if a check takes long. */
  latest: "latestOf",
  /** For handlers that only display: the analysis of the part that can be parsed. */
  legible: "legibleOf",
} as const;

/** Returns a function that wraps the handler of a capability; `empty`: the response if there is no analysis. */
export function answering({ workspace, log, encoding }: Answering, of: keyof typeof analyses = "newest") {
  return <P extends DocumentRequest, R>(
    empty: R,
    work: (path: string, analysis: Analysis, parameters: P) => R | Promise<R>,
  ) =>
    async (parameters: P, token: CancellationToken): Promise<R | ResponseError> => {
      const path = pathOfUri(parameters.textDocument.uri);
      try {
        const before = workspace.texts.find(path)?.version;
        const analysis = await workspace[analyses[of]](path);
        if (token.isCancellationRequested) return cancelled();
        if (analysis === undefined) return empty;
        const { uri } = parameters.textDocument;
        const answer = await work(path, analysis, encoding().toOwn(parameters, uri));
        return workspace.texts.find(path)?.version === before ? encoding().toEditor(answer, uri) : outdated();
      } catch (error) {
        if (error instanceof ResponseError) return error;
        log(error);
        return empty;
      }
    };
}

function cancelled(): ResponseError {
  return new ResponseError(LSPErrorCodes.RequestCancelled, "The request was cancelled.");
}

function outdated(): ResponseError {
  return new ResponseError(LSPErrorCodes.ContentModified, "The document has changed since the request.");
}
