// What the embedding API throws for source that does not compile.

import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { type DiagnosticItem, describeDiagnostics } from "../diagnostics/render/json.ts";

/** The source has mistakes. `message` is the reference engine's text of the first, where it has one. */
export class CompileError extends Error {
  override readonly name = "CompileError";
  /** What is wrong, as `sluice check --format json` prints it. */
  readonly diagnostics: readonly DiagnosticItem[];
  /** The same as this compiler's renderers take it. */
  readonly found: readonly Diagnostic[];

  constructor(message: string, found: readonly Diagnostic[]) {
    super(message);
    this.found = found;
    this.diagnostics = describeDiagnostics(found);
  }
}

/** A compiled gateway cannot serve here and now; `problems` are sentences for operators. */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join("; "), options);
    this.problems = problems;
  }
}

/** A mapping, interpolation or query failed; `message` is the reference engine's text. */
export class MappingError extends Error {
  override readonly name = "MappingError";
}
