// A client of a language server in a worker: requests, notifications and open documents, over JSON-RPC messages.
// The server uses the protocol's library; the page does not need any of it.

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

/** A request failed: the server returned an error, or it timed out. */
export class LanguageError extends Error {
  override readonly name = "LanguageError";
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

interface LspMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Starts the worker with the script at `address`. `first`: the messages that every new worker gets first. */
export function createLanguageClient(
  address: string,
  first: readonly (readonly [method: string, parameters: unknown])[] = [],
): LanguageClient {
  const documents = new Map<string, { language: string; version: number; text: string }>();
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const listeners: ((uri: string, diagnostics: readonly LspDiagnostic[]) => void)[] = [];
  let types: readonly string[] = [];
  let count = 0;
  let isGreeted = false;
  let worker = start();
  /** Resolves when the current worker accepts requests. */
  let ready = greeted();

  function start(): Worker {
    const started = new Worker(address, { type: "module" });
    started.onmessage = ({ data }: MessageEvent<LspMessage>) => receive(data);
    started.onerror = (event) => failAll(event.message || "The worker ended.");
    return started;
  }

  function send(message: object): void {
    worker.postMessage({ jsonrpc: "2.0", ...message });
  }

  function receive({ id, method, params, result, error }: LspMessage): void {
    if (method === undefined) {
      const request = waiting.get(Number(id));
      waiting.delete(Number(id));
      if (error !== undefined) request?.reject(new LanguageError(error.message));
      else request?.resolve(result);
    } else if (method === "textDocument/publishDiagnostics") {
      const { uri, version, diagnostics } = params as {
        uri: string;
        version?: number;
        diagnostics: LspDiagnostic[];
      };
      const isNewest = version === undefined || version === documents.get(uri)?.version;
      if (isNewest) for (const each of listeners) each(uri, diagnostics);
    } else if (id !== undefined) {
      // The server requests settings and the like, which this client does not have.
      send({ id, result: null });
    }
  }

  function failAll(reason: string): void {
    for (const { reject } of waiting.values()) reject(new LanguageError(reason));
    waiting.clear();
  }

  function ask(method: string, parameters: unknown): Promise<unknown> {
    count += 1;
    const id = count;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      send({ id, method, params: parameters });
    });
  }

  async function greet(): Promise<void> {
    isGreeted = false;
    for (const [method, params] of first) send({ method, params });
    const { capabilities } = (await ask("initialize", {
      processId: null,
      rootUri: null,
      capabilities: {
        general: { positionEncodings: ["utf-16"] },
        textDocument: {
          completion: { completionItem: { snippetSupport: true, documentationFormat: ["markdown"] } },
          hover: { contentFormat: ["markdown"] },
        },
      },
    })) as {
      readonly capabilities: { readonly semanticTokensProvider?: { legend: { tokenTypes: string[] } } };
    };
    types = capabilities.semanticTokensProvider?.legend.tokenTypes ?? [];
    send({ method: "initialized", params: {} });
    for (const [uri, { language, version, text }] of documents)
      send({
        method: "textDocument/didOpen",
        params: { textDocument: { uri, languageId: language, version, text } },
      });
    isGreeted = true;
  }

  function greeted(): Promise<void> {
    const greeting = greet();
    // Requests fail with the same error and report it to their callers.
    greeting.catch(() => {});
    return greeting;
  }

  function restart(): void {
    worker.terminate();
    failAll("It took too long, and was ended.");
    worker = start();
    ready = greeted();
  }

  return {
    open(uri, language, text) {
      const known = documents.get(uri);
      const version = (known?.version ?? 0) + 1;
      documents.set(uri, { language, version, text });
      // A worker that is not initialised yet gets the newest text later.
      if (!isGreeted) return;
      const params =
        known === undefined
          ? { textDocument: { uri, languageId: language, version, text } }
          : { textDocument: { uri, version }, contentChanges: [{ text }] };
      send({ method: known === undefined ? "textDocument/didOpen" : "textDocument/didChange", params });
    },
    async request<R>(method: string, parameters: unknown, limit?: number) {
      await ready;
      const timer = limit === undefined ? undefined : setTimeout(restart, limit);
      try {
        // The protocol, or this project's own request, defines the type of the response for this method.
        return (await ask(method, parameters)) as R;
      } finally {
        clearTimeout(timer);
      }
    },
    onDiagnostics: (listener) => void listeners.push(listener),
    tokenTypes: () => types,
    close() {
      worker.terminate();
      failAll("The page has closed it.");
    },
  };
}
