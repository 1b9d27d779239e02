// The errors that the embedding API throws.

import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { type DiagnosticItem, describeDiagnostics } from "../diagnostics/render/json.ts";

/** The source does not compile. `message`: the reference engine's text for the first error, if it has one. */
export class CompileError extends Error {
  override readonly name = "CompileError";
  /** The diagnostics, in the format of `sluice check --format json`. */
  readonly diagnostics: readonly DiagnosticItem[];
  /** The same diagnostics, in the format that the renderers take. */
  readonly found: readonly Diagnostic[];

  constructor(message: string, found: readonly Diagnostic[]) {
    super(message);
    this.found = found;
    this.diagnostics = describeDiagnostics(found);
  }
}

/** A compiled gateway cannot start in this environment. `problems`: sentences for operators. */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join("; "), options);
    this.problems = problems;
  }
}

/** A deployment cannot be written. The message is for people. */
export class DeploymentError extends Error {
  override readonly name = "DeploymentError";
}

/** A mapping, interpolation or query failed; `message` is the reference engine's text. */
export class MappingError extends Error {
  override readonly name = "MappingError";
}
