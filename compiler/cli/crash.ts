// Describes the failure of a command that is not caused by an error in a document: one line, without a
// stack trace unless the user asks for it.

import { InternalError } from "../diagnostics/invariant.ts";
import { DeploymentError, StartError } from "../embed/errors.ts";
import { describeFileError, OutputError } from "./output-folder.ts";

/** Returns one line about an error that no diagnostic covers, or the stack trace if `SLUICE_DEBUG=1`. */
export function describeCrash(error: unknown): string {
  if (process.env.SLUICE_DEBUG === "1" && error instanceof Error) return error.stack ?? error.message;
  return describeError(error);
}

function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof InternalError || error instanceof OutputError) return `sluice: ${message}`;
  if (error instanceof DeploymentError) return `sluice: the deployment cannot be written: ${message}`;
  if (error instanceof StartError) return `sluice: the gateway cannot start: ${message}`;
  if (error instanceof Error && "syscall" in error && "path" in error)
    return `sluice: ${describeFileError(error)}`;
  return `sluice: ${message} (SLUICE_DEBUG=1 shows more)`;
}
