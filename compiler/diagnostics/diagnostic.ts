// The type of a reported problem, and helpers that define catalogue entries. Contains no individual codes.

import type { Span } from "../source/source.ts";

export type Severity = "error" | "warning" | "info";

/** A catalogue entry: all texts and properties of one code, given its details. */
export interface DiagnosticEntry<D> {
  /** Stable, readable name: `unknown-method`. */
  readonly slug: string;
  readonly severity: Severity;
  /** One sentence that describes the problem, with the user's own names in backticks. */
  readonly message: (details: D) => string;
  /** The remedy, in the imperative; `undefined` if there is nothing to add. */
  readonly hint?: (details: D) => string | undefined;
  /**
   * Whether users may choose another level, or suppress it with a reason. By default true except for errors. An error
   * may be adjustable if the result that is built despite it does what the document says.
   */
  readonly adjustable?: boolean;
  /** Returns the edits that correct the problem, if they are known. `span`: the place of the report. */
  readonly fix?: (details: D, span: Span) => Fix | undefined;
}

/** Whether a code may have another level, or may be suppressed. */
export function isAdjustable({
  adjustable,
  severity,
}: Pick<DiagnosticEntry<never>, "adjustable" | "severity">): boolean {
  return adjustable ?? severity !== "error";
}

/** A text that replaces another one. */
export interface Edit {
  readonly span: Span;
  readonly text: string;
  /**
   * The language of the text: the mapping language, which quotes of the surrounding document may require to be escaped,
   * or the language of the document at this place. Absent if the text is the same in both and needs no quotes.
   */
  readonly language?: "mapping" | "document";
}

/** A correction as text edits. Editors can offer it, and `sluice check --fix` applies the safe ones. */
export interface Fix {
  /** The effect, in the imperative: "Write `path`." */
  readonly title: string;
  /** False if something else may have been meant: a person has to decide. */
  readonly isSafe: boolean;
  /** The edits, all in one file. */
  readonly edits: readonly Edit[];
}

/** Declares a catalogue entry. Only determines the type of its details. */
export function entry<D>(definition: DiagnosticEntry<D>): DiagnosticEntry<D> {
  return definition;
}

/** A second place that belongs to a problem, such as the earlier of two definitions. */
export interface Related {
  readonly span: Span;
  readonly message: string;
}

/** A problem in the form that all renderers use. */
export interface Diagnostic {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly hint?: string;
  readonly span: Span;
  readonly related?: Related;
  readonly fix?: Fix;
}

/** A problem that a suppression hides, and the reason given. */
export interface SuppressedDiagnostic extends Diagnostic {
  readonly reason: string;
}
