// Entry point of the command line: parses arguments and sets the exit code (see `exit-codes.ts`).

import { CommanderError } from "commander";
import { describeCrash } from "../compiler/cli/crash.ts";
import { exitCodes } from "../compiler/cli/exit-codes.ts";
import { describeSystemError } from "../compiler/cli/output-folder.ts";
import { guardTerminal } from "../compiler/cli/terminal.ts";
import { createSluice } from "./program.ts";

guardTerminal(process.stdout, false);
guardTerminal(process.stderr, true);

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The reader of the pipe has exited (`sluice schema | head -1`).
  if (error.code === "EPIPE") process.exit();
  // The terminal was closed: SIGHUP determines what the command does; a gateway drains.
  if (error.code === "EIO") return;
  process.stderr.write(`sluice: cannot write to standard output: ${describeSystemError(error)}\n`);
  process.exit(exitCodes.failed);
});
// The error cannot be reported without standard error, so the command continues.
process.stderr.on("error", () => undefined);

try {
  await createSluice().parseAsync(process.argv);
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has already printed the error, or the requested help or version.
    process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.misuse;
  } else {
    process.stderr.write(`${describeCrash(error)}\n`);
    process.exitCode = exitCodes.failed;
  }
}
