// What the embedding API throws for source that does not compile.

import type { Diagnostic } from "../diagnostics/diagnostic.ts";

/** The source has mistakes. `message` is the reference engine's text of the first, where it has one. */
export class CompileError extends Error {
  override readonly name = "CompileError";
  readonly diagnostics: readonly Diagnostic[];

  constructor(message: string, diagnostics: readonly Diagnostic[]) {
    super(message);
    this.diagnostics = diagnostics;
  }
}
