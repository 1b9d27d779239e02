// One reported problem, and the helpers that make catalogue entries. Nothing here knows a single code.

import type { Span } from "../source/source.ts";

export type Severity = "error" | "warning" | "info";

/** A catalogue entry: everything there is to say about one code, given its details. */
export interface DiagnosticEntry<D> {
  /** Stable, readable name: `unknown-method`. */
  readonly slug: string;
  readonly severity: Severity;
  /** One sentence: what is wrong, with the user's own names in backticks. */
  readonly message: (details: D) => string;
  /** What to do, in the imperative; `undefined` where there is nothing to add. */
  readonly hint?: (details: D) => string | undefined;
  /**
   * Whether people may choose another level, or suppress it with a reason. By default all may be but
   * errors; an error may be where what is built without it does what the document says.
   */
  readonly adjustable?: boolean;
  /** How to put it right by editing text, where that is known. `span` is where it was reported. */
  readonly fix?: (details: D, span: Span) => Fix | undefined;
}

/** Whether a code may be given another level, or be suppressed. */
export function isAdjustable({
  adjustable,
  severity,
}: Pick<DiagnosticEntry<never>, "adjustable" | "severity">): boolean {
  return adjustable ?? severity !== "error";
}

/** A text put in place of another. */
export interface Edit {
  readonly span: Span;
  readonly text: string;
  /**
   * What the text is written in: the mapping language, which the quotes of a document around it may have to escape, or the
   * language of the document at this place. Absent where it means the same in both, and needs no quotes.
   */
  readonly language?: "mapping" | "document";
}

/** A correction as text edits: an editor can offer it, and `sluice check --fix` carries out the safe ones. */
export interface Fix {
  /** What it does, in the imperative: "Write `path`." */
  readonly title: string;
  /** False where something else may have been meant: a person has to choose. */
  readonly isSafe: boolean;
  /** All in one file. */
  readonly edits: readonly Edit[];
}

/** Declares a catalogue entry; exists to fix the type of its details. */
export function entry<D>(definition: DiagnosticEntry<D>): DiagnosticEntry<D> {
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
  readonly fix?: Fix;
}

/** A problem that a suppression keeps from being reported, and the reason given. */
export interface SuppressedDiagnostic extends Diagnostic {
  readonly reason: string;
}
