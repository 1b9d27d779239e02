// What the page asks of its worker besides the Language Server Protocol. The page imports these types alone.

import type { Drawing } from "../../management/drawing/drawing.ts";

/** The method of each request and of the one notification. */
export const methods = {
  /** `{ placed: PlacedFile[] }`: files beside the document, which imports and references read. */
  files: "playground/files",
  /** `RunRequest` → `RunAnswer` */
  run: "playground/run",
  /** → `ListedFunction[]` */
  functions: "playground/functions",
} as const;

/** A file by its absolute path. */
export interface PlacedFile {
  readonly path: string;
  readonly text: string;
}

/** A message as a person writes it. */
export interface WrittenMessage {
  readonly content: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Messages to send through a mapping (`*.blobl`) or through the processors of a stream. */
export interface RunRequest extends PlacedFile {
  /** The stream of a document; its first without it. */
  readonly stream?: string;
  readonly messages: readonly WrittenMessage[];
  /** Whether the messages are one batch; otherwise each is one of its own. */
  readonly isBatch: boolean;
  /** What `${NAME}` and `env()` read. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What came of a run. */
export interface RunAnswer {
  /** The streams of the document, by name. */
  readonly streams: readonly string[];
  /** The one that ran. */
  readonly stream?: string;
  readonly steps: readonly StepOutcome[];
  readonly drawing?: Drawing;
  /** Sentences that say why nothing ran. */
  readonly problems: readonly string[];
}

/** One step with the messages that left it. */
export interface StepOutcome {
  /** `input`, `processors[0].mapping`, `output`, or `mapping`. */
  readonly name: string;
  /** Where it stands, counted from 1; absent for a mapping alone. */
  readonly line?: number;
  readonly column?: number;
  /** What is known of its messages before any is there. */
  readonly type: string;
  /** Why it may fail, one sentence each. */
  readonly mayFail: readonly string[];
  /** Why it did not run here, where the messages passed it unchanged. */
  readonly skipped?: string;
  /** What it wrote to the log. */
  readonly logged?: readonly string[];
  /** Absent where messages do not get that far. */
  readonly batches?: readonly (readonly MadeMessage[])[];
}

/** A message as it left a step. */
export interface MadeMessage {
  /** Its text; bytes that are not UTF-8 as hexadecimal digits. */
  readonly content: string;
  readonly isText: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  readonly failure?: { readonly message: string; readonly line?: number };
}

/** A function or method of the mapping language. */
export interface ListedFunction {
  readonly name: string;
  readonly kind: "function" | "method";
  readonly signature: string;
  readonly doc: string;
  /** A mapping that shows it. */
  readonly sample?: string;
}
