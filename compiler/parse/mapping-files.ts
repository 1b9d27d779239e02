// Reads the files that mappings import before the check begins: the check itself reads no files.

import { type Report, watchReports } from "../diagnostics/sink.ts";
import type { SourceText } from "../source/source.ts";
import type { FieldNode } from "../trees/api.ts";
import { type Mapping, sampleOf } from "../trees/mapping.ts";
import type { FileSystem } from "./document/file-system.ts";
import { resolvePath } from "./document/paths.ts";
import { decodeFile } from "./document/read-file.ts";
import { parseImportedMapping } from "./mapping/parser.ts";

/** The mapping of a file, or the reason why it could not be read. */
export type ImportedFile =
  | { readonly mapping: Mapping }
  | {
      readonly reason: string;
      /** Whether the errors in the file were reported at their own places. */
      readonly isReported?: boolean;
    };

/** Returns the file that `path` refers to when `from` imports it. */
export type FindImport = (path: string, from: SourceText) => ImportedFile;

/** The files that mappings import. */
export interface Imports {
  readonly find: FindImport;
  /** The files without syntax errors, in no particular order. */
  readonly mappings: readonly Mapping[];
}

interface ReadImportsOptions {
  readonly fileSystem: FileSystem;
  /** The size in bytes above which a file is refused. */
  readonly limit: number;
}

/**
 * Reads the files that the mappings of `fields` import, and the imports of those files. Errors inside an imported file
 * are reported there, once. The caller reports a file that cannot be read.
 */
export async function readImports(
  fields: Iterable<FieldNode>,
  options: ReadImportsOptions,
  report: Report,
): Promise<Imports> {
  const files = new Map<string, ImportedFile>();
  const waiting: string[] = [];
  for (const field of fields) if (field.kind === "Mapping") waiting.push(...importsOf(field.mapping));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (files.has(path)) continue;
    const file = await readMappingFile(path, options, report);
    files.set(path, file);
    for (const next of "mapping" in file ? importsOf(file.mapping) : []) waiting.push(next);
  }
  return {
    find: (path, from) => files.get(resolvePath(from.file.path, path)) ?? { reason: "it was not read" },
    mappings: [...files.values()].flatMap((file) => ("mapping" in file ? [file.mapping] : [])),
  };
}

function importsOf(mapping: Mapping): readonly string[] {
  const paths: string[] = [];
  const add = (path: string): void => {
    paths.push(resolvePath(mapping.source.file.path, path));
  };
  if (mapping.from !== undefined) add(mapping.from.value);
  // Imports appear only at the top level, not in blocks.
  for (const statement of sampleOf(mapping).statements)
    if (statement.kind === "Import") add(statement.path.value);
  return paths;
}

async function readMappingFile(
  path: string,
  { fileSystem, limit }: ReadImportsOptions,
  report: Report,
): Promise<ImportedFile> {
  let bytes: Uint8Array;
  try {
    bytes = await fileSystem.readFile(path, limit);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return { reason: code === "ENOENT" ? "the file does not exist" : `it cannot be read (${code ?? error})` };
  }
  if (bytes.length > limit) return { reason: `it is larger than ${limit} bytes` };
  // A file without the ending of a mapping may not belong to the author: report no errors in it.
  const isOwn = isMappingFile(path);
  const foreign = watchReports();
  const reportOwn = isOwn ? report : foreign.report;
  const file = decodeFile(path, bytes, reportOwn);
  const mapping = file === undefined ? undefined : parseImportedMapping(file, reportOwn);
  if (mapping !== undefined && !foreign.hasReported()) return { mapping };
  return { reason: "it has syntax errors", isReported: isOwn };
}

function isMappingFile(path: string): boolean {
  return /\.(?:blobl|bloblang)$/i.test(path);
}
