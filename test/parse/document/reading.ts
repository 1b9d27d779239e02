import type { Diagnostic } from "../../../compiler/diagnostics/diagnostic.ts";
import { createSink } from "../../../compiler/diagnostics/sink.ts";
import { createMemoryFileSystem } from "../../../compiler/parse/document/file-system.ts";
import { parseDocument } from "../../../compiler/parse/document/parse-document.ts";
import { type ReadSetOptions, readApiSet } from "../../../compiler/parse/document/read-api-set.ts";
import { createSourceFile, locate } from "../../../compiler/source/source.ts";
import type { ApiDocument, ApiSet } from "../../../compiler/trees/api.ts";
import type { DocumentNode } from "../../../compiler/trees/document.ts";

/** Files by path. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A set read from memory, and its diagnostics. */
export interface Reading {
  readonly set: ApiSet | undefined;
  readonly apis: readonly ApiDocument[];
  /** `a.yaml:2:5-9 GW1012 message | hint`, in order. */
  readonly problems: readonly string[];
}

/** Reads `paths`, or the first file if there are none. */
export async function read(
  files: Files,
  paths?: readonly string[],
  options?: ReadSetOptions,
): Promise<Reading> {
  const sink = createSink();
  const named = paths ?? Object.keys(files).slice(0, 1);
  const fileSystem = createMemoryFileSystem(files);
  const set = await readApiSet(named, { fileSystem, ...options }, sink.report);
  return { set, apis: set?.apis ?? [], problems: sink.diagnostics().map(describe) };
}

/** Parses one document; returns it with its diagnostics. */
export function parse(
  path: string,
  text: string,
): { readonly root?: DocumentNode; readonly problems: readonly string[] } {
  const sink = createSink();
  const root = parseDocument(createSourceFile(path, text), sink.report);
  return { ...(root === undefined ? {} : { root }), problems: sink.diagnostics().map(describe) };
}

/** Formats a diagnostic as one line. */
export function describe({ span, code, message, hint, related }: Diagnostic): string {
  const other = related === undefined ? "" : ` (${place(related.span)} ${related.message})`;
  return `${place(span)} ${code} ${message}${hint === undefined ? "" : ` | ${hint}`}${other}`;
}

function place(span: Diagnostic["span"]): string {
  const { file, start, end } = locate(span);
  const to = end.line === start.line ? `${end.column}` : `${end.line}:${end.column}`;
  return `${file.path}:${start.line}:${start.column}-${to}`;
}

/** Returns an OpenAPI document with `body` after its two header lines. */
export function openapi(body: string, version = "3.1.1"): string {
  return `openapi: ${version}\ninfo: { title: Orders, version: "1" }\n${body}`;
}

/** A document with required fields only. */
export const minimal = openapi("paths: {}\nx-gw-streaming: { streams: {} }\n");
