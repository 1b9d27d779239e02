// Reads the files that mappings import.

import { posix } from "node:path";
import type { LoadedMapping, MappingScope } from "../check/mapping/checked.ts";
import type { Report } from "../diagnostics/sink.ts";
import { findImportedMappingError, parseImportedMapping } from "../parse/mapping/parser.ts";
import { createSourceFile } from "../source/source.ts";

/** The source of imported files. */
export interface MappingFiles {
  /**
   * Returns the text or the bytes of a file; throws if it does not exist. A path is relative if neither the
   * import nor the importing file has an absolute path.
   */
  readFile(path: string): string | Uint8Array;
}

/** Returns a loader that resolves imports relative to the importing file. Errors in imported files go to `report`. */
export function createLoader(files: MappingFiles, report: Report): NonNullable<MappingScope["load"]> {
  return (path, from) => {
    const folder = posix.dirname(from.file.path);
    const resolved = posix.isAbsolute(path) ? path : posix.join(folder, path);
    const text = readText(files, resolved);
    if (text !== undefined) return parseFile(resolved, text, report);
    const reference = `failed to read import: open ${resolved}: no such file or directory`;
    return { reason: "the file cannot be read", reference };
  };
}

function parseFile(path: string, text: string, report: Report): LoadedMapping {
  const source = createSourceFile(path, text);
  const reason = findImportedMappingError(source);
  const mapping = parseImportedMapping(source, report);
  if (reason !== undefined) return { reason };
  return mapping === undefined ? { reason: "the file contains no statements" } : { mapping };
}

function readText(files: MappingFiles, path: string): string | undefined {
  try {
    const content = files.readFile(path);
    return typeof content === "string" ? content : Buffer.from(content).toString("utf8");
  } catch {
    // The caller knows why a file cannot be read; the author of a mapping only learns that it does not exist.
    return undefined;
  }
}
