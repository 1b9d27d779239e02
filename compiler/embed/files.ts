// Reads the files that mappings import.

import { posix } from "node:path";
import type { LoadedMapping, MappingScope } from "../check/mapping/checked.ts";
import { createSink, type Report } from "../diagnostics/sink.ts";
import { findMappingError, parseMapping } from "../parse/mapping/parser.ts";
import { createSourceFile } from "../source/source.ts";

/** Where imported files come from. */
export interface MappingFiles {
  /** The text of a file; throws where there is none. */
  readFile(path: string): string;
}

/** Reads imports relative to the file that names them; their own mistakes go to `report`. */
export function createLoader(files: MappingFiles, report: Report): NonNullable<MappingScope["load"]> {
  return (path, from) => {
    const resolved = posix.resolve("/", posix.dirname(from.file.path), path);
    const text = readText(files, posix.isAbsolute(path) ? path : resolved);
    return text === undefined ? { reason: "the file cannot be read" } : parseFile(path, text, report);
  };
}

function parseFile(path: string, text: string, report: Report): LoadedMapping {
  const source = createSourceFile(path, text);
  const reason = findMappingError(source);
  if (reason !== undefined) {
    parseMapping(source, report);
    return { reason };
  }
  const mapping = parseMapping(source, createSink().report);
  return mapping === undefined ? { reason: "the file holds no statements" } : { mapping };
}

function readText(files: MappingFiles, path: string): string | undefined {
  try {
    return files.readFile(path);
  } catch {
    // Why a file cannot be read is the caller's concern; to the author of a mapping it is not there.
    return undefined;
  }
}
