// A client of a language server in a worker: its initialisation, open documents and diagnostics.
// The server uses the protocol's library; the page does not need any of it.

import { WorkerConnection } from "./worker-connection.ts";

/** A position in a document: lines and UTF-16 units, counted from 0. */
export interface LspPosition {
  readonly line: number;
  readonly character: number;
}

export interface LspRange {
  readonly start: LspPosition;
  readonly end: LspPosition;
}

/** A diagnostic of the server. */
export interface LspDiagnostic {
  readonly range: LspRange;
  /** 1 is an error, 2 a warning. */
  readonly severity?: number;
  readonly code?: string | number;
  readonly message: string;
}

/** A replacement of a range of a document. */
export interface LspEdit {
  readonly range: LspRange;
  readonly newText: string;
}

/** A language server that accepts requests. */
export interface LanguageClient {
  /** Opens a document, or sends its newest text. */
  open(uri: string, language: string, text: string): void;
  /**
   * Sends a request. Rejects with a `LanguageError`. After `limit` milliseconds, the worker is ended and replaced by
   * a new one.
   */
  request<R>(method: string, parameters: unknown, limit?: number): Promise<R>;
  /** Calls `listener` with the diagnostics of every document. */
  onDiagnostics(listener: (uri: string, diagnostics: readonly LspDiagnostic[]) => void): void;
  /** Returns the names of the semantic token types, by number. */
  tokenTypes(): readonly string[];
  close(): void;
}

interface OpenDocument {
  readonly language: string;
  readonly version: number;
  readonly text: string;
}

interface PublishedDiagnostics {
  readonly uri: string;
  readonly version?: number;
  readonly diagnostics: readonly LspDiagnostic[];
}

interface Initialised {
  readonly capabilities: {
    readonly semanticTokensProvider?: { readonly legend: { readonly tokenTypes: readonly string[] } };
  };
}

/** Starts the worker with the script at `address`. `first`: the messages that every new worker gets first. */
export function createLanguageClient(
  address: string,
  first: readonly (readonly [method: string, parameters: unknown])[] = [],
): LanguageClient {
  const documents = new Map<string, OpenDocument>();
  const listeners: ((uri: string, diagnostics: readonly LspDiagnostic[]) => void)[] = [];
  let types: readonly string[] = [];
  /** Whether the current server has the open documents; it gets them when it is initialised. */
  let isInitialised = false;
  let connection = connect();
  /** Resolves when the current server accepts requests. */
  let ready = begin();

  function connect(): WorkerConnection {
    return new WorkerConnection(address, (method, params) => {
      if (method !== "textDocument/publishDiagnostics") return;
      const { uri, version, diagnostics } = params as PublishedDiagnostics;
      const isNewest = version === undefined || version === documents.get(uri)?.version;
      if (isNewest) for (const each of listeners) each(uri, diagnostics);
    });
  }

  async function initialise(): Promise<void> {
    isInitialised = false;
    for (const [method, parameters] of first) connection.notify(method, parameters);
    const { capabilities } = (await connection.request("initialize", initialisation)) as Initialised;
    types = capabilities.semanticTokensProvider?.legend.tokenTypes ?? [];
    connection.notify("initialized", {});
    for (const [uri, document] of documents) connection.notify("textDocument/didOpen", opened(uri, document));
    isInitialised = true;
  }

  function begin(): Promise<void> {
    const initialised = initialise();
    // Requests fail with the same error and report it to their callers.
    initialised.catch(() => {});
    return initialised;
  }

  function restart(): void {
    connection.end("It took too long, and was ended.");
    connection = connect();
    ready = begin();
  }

  return {
    open(uri, language, text) {
      const known = documents.get(uri);
      const document = { language, version: (known?.version ?? 0) + 1, text };
      documents.set(uri, document);
      if (!isInitialised) return;
      if (known === undefined) connection.notify("textDocument/didOpen", opened(uri, document));
      else {
        const { version } = document;
        const contentChanges = [{ text }];
        connection.notify("textDocument/didChange", { textDocument: { uri, version }, contentChanges });
      }
    },
    async request<R>(method: string, parameters: unknown, limit?: number) {
      await ready;
      const timer = limit === undefined ? undefined : setTimeout(restart, limit);
      try {
        // The protocol, or this project's own request, defines the type of the response for this method.
        return (await connection.request(method, parameters)) as R;
      } finally {
        clearTimeout(timer);
      }
    },
    onDiagnostics: (listener) => void listeners.push(listener),
    tokenTypes: () => types,
    close: () => connection.end("The page has closed it."),
  };
}

/** What this client supports. */
const initialisation = {
  processId: null,
  rootUri: null,
  capabilities: {
    general: { positionEncodings: ["utf-16"] },
    textDocument: {
      completion: { completionItem: { snippetSupport: true, documentationFormat: ["markdown"] } },
      hover: { contentFormat: ["markdown"] },
    },
  },
};

function opened(uri: string, { language, version, text }: OpenDocument): object {
  return { textDocument: { uri, languageId: language, version, text } };
}
