// What people may say about diagnostics: the level of a code, and that one of them is known and meant.

import type { Span } from "../source/source.ts";
import type { DiagnosticCode } from "./catalogue.ts";
import type { Edit, Severity } from "./diagnostic.ts";
import type { FileRange } from "./fixes/file-range.ts";

/** How much a code counts in a set; `off` is not reported at all. */
export type Level = Severity | "off";

/** `# sluice-ignore GW4018: planned for spring`, one code of it. */
export interface Suppression {
  readonly code: DiagnosticCode;
  readonly reason: string;
  /** What to point at when it suppresses nothing. */
  readonly span: Span;
  /** Where it counts. */
  readonly covers: readonly FileRange[];
  /** Where it counts when there is nothing of its code in `covers`. */
  readonly otherwise?: FileRange;
  /** Takes it out of the file without a trace, where that is simple. */
  readonly removal?: Edit;
}
