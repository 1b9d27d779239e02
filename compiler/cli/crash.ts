// What people see when the compiler itself fails: one line, no stack unless they ask for it.

import { InternalError } from "../diagnostics/invariant.ts";
import { LinkError } from "../link/link.ts";

/** One line about an error that no diagnostic covers. `SLUICE_DEBUG=1` adds the stack. */
export function describeCrash(error: unknown): string {
  if (process.env["SLUICE_DEBUG"] === "1" && error instanceof Error) return error.stack ?? error.message;
  if (error instanceof InternalError) return `sluice: ${error.message}`;
  if (error instanceof LinkError) return `sluice: the emitted gateway does not link: ${error.message}`;
  const message = error instanceof Error ? error.message : String(error);
  return `sluice: ${message} (SLUICE_DEBUG=1 shows more)`;
}
