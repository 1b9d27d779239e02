// Arranges diagnostics in the order in which people read them: by file, then start, then code; each once.

import { type Location, locate } from "../source/source.ts";
import type { Diagnostic } from "./diagnostic.ts";

/** The maximum number of problems that are reported for one file. */
const capPerFile = 100;

/** Returns all diagnostics in the fixed order, without duplicates. */
export function arrange<D extends Diagnostic>(found: readonly D[]): readonly D[] {
  const located = found.map((diagnostic) => ({ diagnostic, at: locate(diagnostic.span) }));
  located.sort((a, b) => compareLocations(a.at, b.at) || compareText(a.diagnostic.code, b.diagnostic.code));
  const seen = new Set<string>();
  return located.flatMap(({ diagnostic, at }) => {
    const { file, start } = at;
    const key = `${file.path}:${start.line}:${start.column}:${diagnostic.code}:${diagnostic.message}`;
    if (seen.has(key)) return [];
    seen.add(key);
    return [diagnostic];
  });
}

/** Returns the first hundred of each file. Errors and other problems each have a limit of their own. */
export function cap<D extends Diagnostic>(arranged: readonly D[]): readonly D[] {
  const counts = new Map<string, number>();
  return arranged.filter(({ span, severity }) => {
    const key = `${severity === "error"} ${span.source.file.path}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count <= capPerFile;
  });
}

function compareLocations(a: Location, b: Location): number {
  return (
    compareText(a.file.path, b.file.path) || a.start.line - b.start.line || a.start.column - b.start.column
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
