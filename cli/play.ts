// Defines `sluice play` and its help. The playground is loaded when it runs.

import { type Command, InvalidArgumentError } from "commander";
import { describeFileError } from "../compiler/cli/output-folder.ts";
import { subcommand } from "../compiler/cli/program.ts";

/** Adds `play` to the program. */
export function addPlay(program: Command): void {
  subcommand(program, "play", "Serve a local page to try mappings and streams.")
    .argument("[document]", "A mapping (*.blobl) or an API document to start with.")
    .option("--port <port>", "Serve at this port; 0 chooses a free one.", portOf, 4195)
    .addHelpText("after", playExamples)
    .action(async (path: string | undefined, { port }: { readonly port: number }) => {
      process.exitCode = await runPlay(path, port);
    });
}

/** Serves the playground until the process is ended. Returns the exit code if serving fails. */
async function runPlay(path: string | undefined, port: number): Promise<number> {
  const { readStartingText } = await import("../playground/starting.ts");
  const { servePlayground } = await import("../playground/serve.ts");
  try {
    const starting = path === undefined ? undefined : await readStartingText(path);
    const { url, close } = await servePlayground(port, starting);
    process.stdout.write(`Playground: ${url}\n`);
    await new Promise<void>((resolve) => {
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
    });
    await close();
    return 0;
  } catch (error) {
    // Only the file system and the port can fail here; their errors have a code. Any other error is a bug.
    if (!(error instanceof Error) || !("code" in error)) throw error;
    const isTaken = error.code === "EADDRINUSE";
    process.stderr.write(
      isTaken
        ? `sluice: port ${port} is in use; choose another with --port\n`
        : `sluice: ${describeFileError(error)}\n`,
    );
    return 1;
  }
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError("Expected a port, 0 to 65535.");
  return port;
}

/** Help text of `sluice play`. */
const playExamples = `
Nothing leaves the machine: the compiler runs in the browser, and a link contains the whole text in its fragment.

Examples:
  sluice play
  sluice play total.blobl
  sluice play orders.yaml --port 0
`;
