// One reported problem, and the helpers that make catalogue entries. Nothing here knows a single code.

import type { Span } from "../source/source.ts";

export type Severity = "error" | "warning" | "info";

/** A catalogue entry: everything there is to say about one code, given its details. */
export interface Entry<D> {
  /** Stable, readable name: `unknown-method`. */
  readonly slug: string;
  readonly severity: Severity;
  /** One sentence: what is wrong, with the user's own names in backticks. */
  readonly message: (details: D) => string;
  /** What to do, in the imperative; `undefined` where there is nothing to add. */
  readonly hint?: (details: D) => string | undefined;
}

/** Declares a catalogue entry; exists to fix the type of its details. */
export function entry<D>(definition: Entry<D>): Entry<D> {
  return definition;
}

/** A second place that belongs to a problem, such as the earlier of two definitions. */
export interface Related {
  readonly span: Span;
  readonly message: string;
}

/** A problem as every renderer sees it. */
export interface Diagnostic {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly hint?: string;
  readonly span: Span;
  readonly related?: Related;
}
