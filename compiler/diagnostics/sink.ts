// Where phases put the problems they find. Phases get `report`; only the caller reads the result.

import { type Location, locate, type Span } from "../source/source.ts";
import { type Code, catalogue, type Details } from "./catalogue.ts";
import type { Diagnostic, Entry, Related } from "./diagnostic.ts";

/** Reports a problem: `report("GW3004", node.span, { method, closest })`. */
export type Report = <C extends Code>(code: C, span: Span, details: Details<C>, related?: Related) => void;

/** A growing list of problems. */
export interface Sink {
  readonly report: Report;
  /** All problems so far in the fixed order: file, then start, then code; duplicates dropped. */
  diagnostics(): readonly Diagnostic[];
  hasErrors(): boolean;
}

/** More than this many problems of one file help nobody. */
const capPerFile = 100;

/** An empty sink. */
export function createSink(): Sink {
  const found: Diagnostic[] = [];
  return {
    report(code, span, details, related) {
      found.push(createDiagnostic(code, span, details, related));
    },
    diagnostics: () => arrange(found),
    hasErrors: () => found.some((diagnostic) => diagnostic.severity === "error"),
  };
}

function createDiagnostic<C extends Code>(
  code: C,
  span: Span,
  details: Details<C>,
  related: Related | undefined,
): Diagnostic {
  // The catalogue's own type ties `code` to `details`; TypeScript loses that tie inside a generic.
  const entry = catalogue[code] as Entry<Details<C>>;
  const hint = entry.hint?.(details);
  return {
    code,
    severity: entry.severity,
    message: entry.message(details),
    ...(hint === undefined || hint === "" ? {} : { hint }),
    span,
    ...(related === undefined ? {} : { related }),
  };
}

function arrange(found: readonly Diagnostic[]): readonly Diagnostic[] {
  const located = found.map((diagnostic) => ({ diagnostic, at: locate(diagnostic.span) }));
  located.sort((a, b) => compareLocations(a.at, b.at) || compareText(a.diagnostic.code, b.diagnostic.code));
  const perFile = new Map<string, number>();
  const seen = new Set<string>();
  return located.flatMap(({ diagnostic, at }) => {
    const { path } = at.file;
    const key = `${path}:${at.start.line}:${at.start.column}:${diagnostic.code}:${diagnostic.message}`;
    const count = perFile.get(path) ?? 0;
    if (seen.has(key) || count >= capPerFile) return [];
    seen.add(key);
    perFile.set(path, count + 1);
    return [diagnostic];
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
