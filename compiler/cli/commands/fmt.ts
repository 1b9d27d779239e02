// Runs `sluice fmt`: formats the scripts of documents and mapping files; with --check it only reports unformatted ones.

import type { Edit } from "../../diagnostics/diagnostic.ts";
import { createSink } from "../../diagnostics/sink.ts";
import { formatFields, formatMappingFile } from "../../format/format-document.ts";
import { nodeFileSystem } from "../../parse/document/file-system.ts";
import { findMatches, isPattern } from "../../parse/document/glob.ts";
import { maximumBytes } from "../../parse/document/limits.ts";
import { shortenPath } from "../../parse/document/paths.ts";
import { readApiSet } from "../../parse/document/read-api-set.ts";
import { readSourceFile } from "../../parse/document/read-file.ts";
import type { SourceFile } from "../../source/source.ts";
import { fieldsOf } from "../../trees/fields.ts";
import { formatDiagnostics, withLineBreak } from "../diagnostics.ts";
import type { ChangedFile } from "../fix-documents.ts";
import { replaceFiles } from "../replace-files.ts";
import { useColor } from "../terminal.ts";

/** Options of `sluice fmt`. */
export interface FormatOptions {
  readonly check?: boolean;
}

/**
 * Formats files, or lists the unformatted ones. Returns the exit code: 1 if --check found any, or if a file cannot be
 * read.
 */
export async function runFormat(paths: readonly string[], { check = false }: FormatOptions): Promise<number> {
  const changed = new Map<string, ChangedFile>();
  let isReadable = true;
  for (const path of await expand(paths)) {
    const found = await formatFile(path);
    if (found === undefined) isReadable = false;
    for (const each of found ?? []) changed.set(each.path, each);
  }
  if (!check) await replaceFiles([...changed.values()]);
  for (const path of changed.keys()) process.stdout.write(`${path}\n`);
  return !isReadable || (check && changed.size > 0) ? 1 : 0;
}

async function expand(paths: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths.map((each) => shortenPath(each, process.cwd())))
    found.push(...(isPattern(path) ? await findMatches(path, nodeFileSystem) : [path]));
  return [...new Set(found)];
}

/** Returns the changes to a file, or to the documents of its set; `undefined` after printing why it cannot be read. */
async function formatFile(path: string): Promise<readonly ChangedFile[] | undefined> {
  const sink = createSink();
  const reading = { fileSystem: nodeFileSystem, report: sink.report, limit: maximumBytes };
  const file = await readSourceFile(path, reading);
  if (file === undefined) {
    const text = await formatDiagnostics(sink.diagnostics(), "pretty", useColor(process.stderr));
    process.stderr.write(withLineBreak(text));
    return undefined;
  }
  if (/\.blobl(?:ang)?$/i.test(path)) return changesOf(file, formatMappingFile(file.text));
  // Errors are reported by `sluice check`: a document that cannot be read stays unchanged.
  const set = await readApiSet([path], {}, () => {});
  if (set === undefined) return [];
  const files = set.settingsFile === undefined ? [file] : set.documents.map((each) => each.file);
  return files.flatMap((each) =>
    changesOf(each, carryOut(each.text, formatFields(fieldsOf(set), each.path))),
  );
}

function changesOf({ path, text }: SourceFile, after: string): readonly ChangedFile[] {
  return after === text ? [] : [{ path, before: text, after }];
}

function carryOut(text: string, edits: readonly Edit[]): string {
  let out = "";
  let at = 0;
  for (const { span, text: replacement } of edits) {
    out += text.slice(at, span.start) + replacement;
    at = span.end;
  }
  return out + text.slice(at);
}
