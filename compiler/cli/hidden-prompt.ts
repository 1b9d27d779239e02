// Asking for what shall not be seen.

import { createInterface } from "node:readline";
import { Writable } from "node:stream";

/** Asks a question at a terminal and reads a line without showing it; `undefined` when it was ended instead. */
export function askHidden(
  question: string,
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
): Promise<string | undefined> {
  // What is typed would be written here.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  output.write(question);
  return new Promise((resolve) => {
    const end = (line: string | undefined) => {
      output.write("\n");
      resolve(line);
      lines.close();
    };
    lines.once("line", end);
    lines.once("SIGINT", () => end(undefined));
    lines.once("close", () => resolve(undefined));
  });
}
