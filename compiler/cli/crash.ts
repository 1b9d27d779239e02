// What people see when a command fails for another reason than a mistake in a document: one line, no
// stack unless they ask for it.

import { InternalError } from "../diagnostics/invariant.ts";
import { StartError } from "../embed/errors.ts";
import { describeFileError, OutputError } from "./output-folder.ts";

/** One line about an error that no diagnostic covers. `SLUICE_DEBUG=1` gives the stack instead. */
export function describeCrash(error: unknown): string {
  if (process.env.SLUICE_DEBUG === "1" && error instanceof Error) return error.stack ?? error.message;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof InternalError || error instanceof OutputError) return `sluice: ${message}`;
  if (error instanceof StartError) return `sluice: the gateway cannot start: ${message}`;
  if (error instanceof Error && "syscall" in error && "path" in error)
    return `sluice: ${describeFileError(error)}`;
  return `sluice: ${message} (SLUICE_DEBUG=1 shows more)`;
}
