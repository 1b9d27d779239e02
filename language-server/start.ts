// Runs the language server on standard input and output until its editor ends it.

import { setFlagsFromString } from "node:v8";
import { createConnection } from "vscode-languageserver/node";
import { createIdleMemory } from "./idle-memory.ts";
import { answerRefused, createLifecycle } from "./lifecycle.ts";
import { serve } from "./server.ts";
import { followFiles } from "./workspace/watching.ts";

/** Serves an editor. Never resolves: the process ends with the connection. */
export async function startLanguageServer(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<void> {
  // Each keystroke discards a complete text: let the heap grow by 30 percent before a collection, instead of to twice
  // its size.
  setFlagsFromString("--heap-growing-percent=30");
  setFlagsFromString("--semi-space-growth-factor=1");
  const connection = createConnection(input, output, { messageStrategy: createLifecycle() });
  answerRefused(connection);
  serve(connection, { followFiles, paused: createIdleMemory() });
  connection.listen();
  // The library ends the process when the editor sends `exit`, with the exit code of the protocol, or when the editor
  // has exited.
  await new Promise(() => {});
}
