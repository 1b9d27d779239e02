import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import type {
  CompletionItem,
  Diagnostic,
  Hover,
  MarkupContent,
  PublishDiagnosticsParams,
} from "vscode-languageserver-protocol";

/** A position in a document, with lines and columns from 0. */
export interface Place {
  readonly line: number;
  readonly character: number;
}

/** A language server that has one document open. */
export interface LanguageClient {
  /** Resolves with the diagnostics of a document with that text. */
  diagnose(text: string): Promise<readonly Diagnostic[]>;
  /** Resolves with the labels of the completions at a position of a document with that text. */
  complete(text: string, at: Place): Promise<readonly string[]>;
  /** Resolves with the hover text at a position of a document with that text. */
  hover(text: string, at: Place): Promise<string>;
  close(): Promise<void>;
}

const server = fileURLToPath(import.meta.resolve("yaml-language-server/bin/yaml-language-server"));

/** Starts the YAML language server over its standard input and output, as editors do. */
export async function startLanguageServer(): Promise<LanguageClient> {
  const child = spawn(process.execPath, [server, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const waiting = new Map<string, (found: readonly Diagnostic[]) => void>();
  connection.onNotification("textDocument/publishDiagnostics", (published: PublishDiagnosticsParams) => {
    waiting.get(published.uri)?.(published.diagnostics);
  });
  connection.onRequest("client/registerCapability", () => null);
  connection.listen();
  await connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri: null,
    capabilities: {
      textDocument: { completion: { completionItem: { snippetSupport: true } }, hover: {} },
    },
  });
  await connection.sendNotification("initialized", {});

  let opened = 0;
  const open = async (text: string): Promise<{ uri: string; diagnostics: readonly Diagnostic[] }> => {
    const uri = `file:///document-${opened++}.yaml`;
    const diagnostics = new Promise<readonly Diagnostic[]>((resolve) => waiting.set(uri, resolve));
    const textDocument = { uri, languageId: "yaml", version: 1, text };
    await connection.sendNotification("textDocument/didOpen", { textDocument });
    return { uri, diagnostics: await diagnostics };
  };

  return {
    diagnose: async (text) => (await open(text)).diagnostics,
    async complete(text, position) {
      const { uri } = await open(text);
      const list = await connection.sendRequest<{ items: readonly CompletionItem[] }>(
        "textDocument/completion",
        { textDocument: { uri }, position },
      );
      return list.items.map(({ label }) => label);
    },
    async hover(text, position) {
      const { uri } = await open(text);
      const found = await connection.sendRequest<Hover | null>("textDocument/hover", {
        textDocument: { uri },
        position,
      });
      // The server responds in Markdown; other formats belong to older versions of the protocol.
      return found === null ? "" : (found.contents as MarkupContent).value;
    },
    async close() {
      const ended = once(child, "exit");
      await connection.sendRequest("shutdown");
      await connection.sendNotification("exit");
      await ended;
      connection.dispose();
    },
  };
}
