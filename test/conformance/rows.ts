// Reads the conformance data as cases: what to run, and the expected result.

import { readFileSync } from "node:fs";

/** A row of examples.json, behaviour.json, found.json or interpolation.json; fields as the data's README describes. */
export interface Row {
  readonly id: string;
  readonly mode: string;
  readonly mapping: string;
  readonly template?: string;
  readonly input?: unknown;
  readonly meta?: Readonly<Record<string, unknown>> | null;
  readonly batch?: readonly RowMessage[];
  readonly messages?: readonly RowMessage[];
  readonly index?: number;
  readonly output?: unknown;
  readonly output_format?: string;
  readonly output_string?: string;
  readonly output_meta?: Readonly<Record<string, unknown>> | null;
  readonly output_batch?: readonly RowResult[];
  readonly error?: string | null;
  readonly error_exact?: boolean;
  readonly parse_error?: string | null;
  readonly parse_error_exact?: boolean;
  readonly line?: number;
  readonly literal_parser?: string;
  readonly remaining?: string;
  readonly deleted?: boolean;
  readonly has_context?: boolean;
  readonly context?: unknown;
  readonly overlay?: unknown;
  readonly vars?: Readonly<Record<string, unknown>> | null;
  readonly maps?: Readonly<Record<string, string>> | null;
  readonly files?: Readonly<Record<string, string>>;
  readonly message_error?: {
    readonly message: string;
    readonly label?: string;
    readonly path?: string;
    readonly type?: string;
  } | null;
  readonly trailing_text_ignored?: string;
  readonly processors?: readonly { readonly type: string; readonly mapping: string }[];
  readonly env?: Readonly<Record<string, string>>;
  readonly dialect?: string;
  readonly sequence?: string;
  readonly tolerance?: number;
  readonly portable?: boolean;
  readonly deterministic?: boolean;
  readonly nondeterministic_because?: readonly string[];
  readonly origin?: string;
  readonly expression?: boolean;
}

export interface RowMessage {
  readonly content: string;
  readonly meta?: Readonly<Record<string, unknown>> | null;
  readonly error?: string;
}

export interface RowResult {
  readonly content?: string;
  readonly json?: unknown;
  readonly json_contains?: unknown;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly meta_contains?: Readonly<Record<string, unknown>>;
  readonly error?: string;
}

/** Returns all rows; those of the examples have the mode `example`. */
export function readRows(): readonly Row[] {
  const examples = read("examples.json").map((row) => ({ ...row, mode: "example" }));
  const templates = read("interpolation.json").map((row) => ({ ...row, mode: "interpolation", mapping: "" }));
  return [...examples, ...read("behaviour.json"), ...read("found.json"), ...templates];
}

function read(name: string): readonly Row[] {
  const text = readFileSync(new URL(`data/${name}`, import.meta.url), "utf8");
  // The files are fixed data; the README next to them describes their shape.
  return JSON.parse(text) as readonly Row[];
}
