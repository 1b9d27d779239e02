// The worker: the language server of `sluice lsp`, and the code that runs mappings and streams on messages.

import { BrowserMessageReader, BrowserMessageWriter, createConnection } from "vscode-languageserver/browser";
import { serve } from "../../language-server/server.ts";
import { files } from "../node/files.ts";
import { listFunctions } from "./function-list.ts";
import { methods, type PlacedFile, type RunRequest } from "./protocol.ts";
import { run } from "./run.ts";

const scope = globalThis as unknown as ConstructorParameters<typeof BrowserMessageReader>[0];
const connection = createConnection(new BrowserMessageReader(scope), new BrowserMessageWriter(scope));

connection.onNotification(methods.files, ({ placed }: { readonly placed: readonly PlacedFile[] }) => {
  for (const { path, text } of placed) files.set(path, new TextEncoder().encode(text));
});
connection.onRequest(methods.run, (request: RunRequest) => run(request));
connection.onRequest(methods.functions, () => listFunctions());
serve(connection);
connection.listen();
