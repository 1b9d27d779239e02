// How requests about a document are answered: of its newest text, never of one that is gone; a mistake inside becomes a line
// of the log and an empty answer, and the server lives.

import { type CancellationToken, LSPErrorCodes, ResponseError } from "vscode-languageserver";
import type { Analysis } from "./analysis/analysis.ts";
import type { PositionEncoding } from "./encoding.ts";
import { pathOfUri } from "./workspace/paths.ts";
import type { Workspace } from "./workspace/workspace.ts";

/** A request about one document. */
interface DocumentRequest {
  readonly textDocument: { readonly uri: string };
}

/** What answering needs. */
export interface Answering {
  readonly workspace: Workspace;
  readonly log: (error: unknown) => void;
  /** How the editor counts positions. */
  readonly encoding: () => PositionEncoding;
}

/** Which analysis of a document answers. */
const analyses = {
  newest: "analysisOf",
  /** One that looks at the newest text itself may do with the analysis of an older one, where a check takes long. */
  latest: "latestOf",
  /** One that only shows may do with the part that reads. */
  legible: "legibleOf",
} as const;

/** Wraps what a capability answers from the analysis of a document; `empty` where there is none. */
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
