// The language server over standard input and output, until its editor ends it.

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
  // Each keystroke leaves a whole text behind: the heap may grow by three tenths before it is collected, not to twice its size.
  setFlagsFromString("--heap-growing-percent=30");
  setFlagsFromString("--semi-space-growth-factor=1");
  const connection = createConnection(input, output, { messageStrategy: createLifecycle() });
  answerRefused(connection);
  serve(connection, { followFiles, paused: createIdleMemory() });
  connection.listen();
  // The library ends the process when the editor says `exit`, with the code that the protocol asks for, or is gone.
  await new Promise(() => {});
}
