// The requests of the page to its worker in addition to the Language Server Protocol. The page imports only these
// types.

import type { Drawing } from "../../management/drawing/drawing.ts";

/** The methods of the requests and of the notification. */
export const methods = {
  /** `{ placed: PlacedFile[] }`: files next to the document, for imports and references. */
  files: "playground/files",
  /** `RunRequest` → `RunAnswer` */
  run: "playground/run",
  /** → `ListedFunction[]` */
  functions: "playground/functions",
} as const;

/** A file with its absolute path. */
export interface PlacedFile {
  readonly path: string;
  readonly text: string;
}

/** An input message. */
export interface WrittenMessage {
  readonly content: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Messages to send through a mapping (`*.blobl`) or through the processors of a stream. */
export interface RunRequest extends PlacedFile {
  /** The stream of a document; by default, its first. */
  readonly stream?: string;
  readonly messages: readonly WrittenMessage[];
  /** Whether the messages form one batch; otherwise each is a batch of its own. */
  readonly isBatch: boolean;
  /** The variables that `${NAME}` and `env()` read. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The result of a run. */
export interface RunAnswer {
  /** The streams of the document, by name. */
  readonly streams: readonly string[];
  /** The stream that ran. */
  readonly stream?: string;
  readonly steps: readonly StepOutcome[];
  readonly drawing?: Drawing;
  /** Sentences that explain why nothing ran. */
  readonly problems: readonly string[];
}

/** One step and the messages it emitted. */
export interface StepOutcome {
  /** `input`, `processors[0].mapping`, `output`, or `mapping`. */
  readonly name: string;
  /** Its position, counted from 1; absent for a mapping alone. */
  readonly line?: number;
  readonly column?: number;
  /** The inferred type of its messages. */
  readonly type: string;
  /** Reasons why it may fail, one sentence each. */
  readonly mayFail: readonly string[];
  /** Why it was skipped here; the messages passed it unchanged. */
  readonly skipped?: string;
  /** The lines it logged. */
  readonly logged?: readonly string[];
  /** Absent if no messages reached it. */
  readonly batches?: readonly (readonly MadeMessage[])[];
}

/** A message emitted by a step. */
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
  /** A sample mapping. */
  readonly sample?: string;
}
