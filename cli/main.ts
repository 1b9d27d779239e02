// The command line: arguments in, exit codes out. `exit-codes.ts` says which.

import "../compiler/older-node.ts";
import { CommanderError } from "commander";
import { describeCrash } from "../compiler/cli/crash.ts";
import { exitCodes } from "../compiler/cli/exit-codes.ts";
import { describeSystemError } from "../compiler/cli/output-folder.ts";
import { createSluice } from "./program.ts";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The reader of the pipe has gone (`sluice schema | head -1`).
  if (error.code === "EPIPE") process.exit();
  // The terminal has closed: what the command does then is said by SIGHUP, and a gateway drains.
  if (error.code === "EIO") return;
  process.stderr.write(`sluice: cannot write to standard output: ${describeSystemError(error)}\n`);
  process.exit(exitCodes.failed);
});
// Nothing is left to say that with, and the command goes on.
process.stderr.on("error", () => undefined);

try {
  await createSluice().parseAsync(process.argv);
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has printed what was wrong, or the help or version that was asked for.
    process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.misuse;
  } else {
    process.stderr.write(`${describeCrash(error)}\n`);
    process.exitCode = exitCodes.failed;
  }
}
