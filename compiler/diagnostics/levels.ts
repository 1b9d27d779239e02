// What was found, the levels of a set and its suppressions, to what is reported. The only place where
// either counts: the command line, the public API and tests all come through here.

import { arrange, cap } from "./arrange.ts";
import type { DiagnosticCode } from "./catalogue.ts";
import { findEntry } from "./catalogue.ts";
import { withoutConsequences } from "./consequences.ts";
import { createDiagnostic } from "./create-diagnostic.ts";
import { type Diagnostic, isAdjustable, type Severity, type SuppressedDiagnostic } from "./diagnostic.ts";
import type { FileRange } from "./fixes/file-range.ts";
import type { Level, Suppression } from "./suppression.ts";

/** How many there are of each level, those included that lists leave out for their number. */
export type Counts = Readonly<Record<Severity, number>>;

/** What is reported to people. */
export interface Leveled {
  /** In the fixed order: file, then place, then code. */
  readonly diagnostics: readonly Diagnostic[];
  readonly suppressed: readonly SuppressedDiagnostic[];
  readonly counts: Counts;
}

/**
 * Gives each diagnostic its level in the set, and takes out what is suppressed. What stops a build keeps
 * its level whatever is asked for. A suppression of nothing becomes a warning, unless its file has a
 * mistake behind which what it suppresses may be hidden.
 */
export function applyLevels(
  found: readonly Diagnostic[],
  levels: ReadonlyMap<DiagnosticCode, Level>,
  suppressions: readonly Suppression[],
): Leveled {
  const arranged = arrange(found);
  const reasons = matchSuppressions(arranged, suppressions);
  const left = arranged.filter((diagnostic) => !reasons.bySuppressed.has(diagnostic));
  const unused = findUnused(suppressions, reasons.used, arranged);
  const leveled = withoutConsequences(
    arrange([...left, ...unused].flatMap((diagnostic) => withLevel(diagnostic, levels))),
  );
  const suppressed = [...reasons.bySuppressed].map(([diagnostic, reason]) => ({ ...diagnostic, reason }));
  return { diagnostics: cap(leveled), suppressed, counts: countLevels(leveled) };
}

function withLevel(
  diagnostic: Diagnostic,
  levels: ReadonlyMap<DiagnosticCode, Level>,
): readonly Diagnostic[] {
  const level = isFixed(diagnostic.code) ? undefined : levels.get(diagnostic.code as DiagnosticCode);
  if (level === undefined) return [diagnostic];
  return level === "off" ? [] : [{ ...diagnostic, severity: level }];
}

function isFixed(code: string): boolean {
  const entry = findEntry(code);
  return entry === undefined || !isAdjustable(entry);
}

interface Matches {
  readonly bySuppressed: ReadonlyMap<Diagnostic, string>;
  readonly used: ReadonlySet<Suppression>;
}

/** Several suppressions may cover one diagnostic: each of them has something to suppress. */
function matchSuppressions(found: readonly Diagnostic[], suppressions: readonly Suppression[]): Matches {
  const bySuppressed = new Map<Diagnostic, string>();
  const used = new Set<Suppression>();
  const byCode = Map.groupBy(found, ({ code }) => code);
  for (const suppression of suppressions) {
    const candidates = isFixed(suppression.code) ? [] : (byCode.get(suppression.code) ?? []);
    const covered = findCovered(candidates, suppression);
    if (covered.length > 0) used.add(suppression);
    for (const diagnostic of covered) {
      if (!bySuppressed.has(diagnostic)) bySuppressed.set(diagnostic, suppression.reason);
    }
  }
  return { bySuppressed, used };
}

function findCovered(
  candidates: readonly Diagnostic[],
  { covers, otherwise }: Suppression,
): readonly Diagnostic[] {
  const covered = candidates.filter((diagnostic) => covers.some((range) => isWithin(diagnostic, range)));
  if (covered.length > 0 || otherwise === undefined) return covered;
  return candidates.filter((diagnostic) => isWithin(diagnostic, otherwise));
}

/** A diagnostic lies where it starts, as its line and column say. */
function isWithin({ span }: Diagnostic, { file, start, end }: FileRange): boolean {
  const at = span.source.offsetInFile(span.start);
  return span.source.file.path === file.path && at >= start && at <= end;
}

function findUnused(
  suppressions: readonly Suppression[],
  used: ReadonlySet<Suppression>,
  found: readonly Diagnostic[],
): readonly Diagnostic[] {
  const broken = new Set(found.filter(isHiding).map(({ span }) => span.source.file.path));
  return suppressions
    .filter((each) => !used.has(each) && !broken.has(each.span.source.file.path))
    .map(({ code, span, removal }) => createDiagnostic("GW4114", span, { code, removal }));
}

/** What could not be read or understood was not checked either. */
function isHiding({ code, severity }: Diagnostic): boolean {
  return severity === "error" && isFixed(code);
}

function countLevels(diagnostics: readonly Diagnostic[]): Counts {
  const counts = { error: 0, warning: 0, info: 0 };
  for (const { severity } of diagnostics) counts[severity]++;
  return counts;
}
