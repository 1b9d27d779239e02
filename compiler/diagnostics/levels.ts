// Applies the levels and suppressions of a set to its diagnostics, and drops those that only follow from others: a
// cache is not unused if the processor that names it could not be read. This happens only here: the command line, the
// public API and tests all use it.

import { firstIndex } from "../source/sorted.ts";
import { findLineStarts, lineIndexOf, type Span } from "../source/source.ts";
import { arrange, cap } from "./arrange.ts";
import type { DiagnosticCode } from "./catalogue.ts";
import { findEntry } from "./catalogue.ts";
import { createDiagnostic } from "./create-diagnostic.ts";
import {
  type Diagnostic,
  type Edit,
  isAdjustable,
  type Severity,
  type SuppressedDiagnostic,
} from "./diagnostic.ts";
import type { FileRange } from "./fixes/file-range.ts";

/** The maximum distance between a cause, or the place that it is `related` to, and its consequence. */
type Reach = "place" | "related" | "line" | "script" | "file" | "set";

/** A consequence: the codes that cause it, and how far the causes reach. */
interface Consequence {
  readonly causes: RegExp;
  readonly reach: Reach;
  /** Set if it only applies if the reported name occurs in the file again, at a place that may not have been read. */
  readonly isNamed?: boolean;
}

/** Files that could not be read, or have the wrong content. */
const unreadFile = /^GW10(?:0|1|2|4[0-2]|54)/;

/** Components, fields and scripts that could not be read, and so name nothing. */
const unreadPart = /^GW(?:10[1-3]|2|400[1-5]|401[0126]|4140)/;

/** One of two equal keys was most likely meant to have the missing name. */
const missed: readonly Consequence[] = [{ causes: /^GW1012/, reach: "file" }];

const consequences: Readonly<Record<string, readonly Consequence[]>> = {
  GW1030: missed,
  GW4071: missed,
  GW4151: missed,
  GW4230: [
    ...missed,
    // One of two operations with the same id may be the missing one, and so may one of a path item that is not read.
    { causes: /^GW4233/, reach: "file" },
    { causes: /^GW1046/, reach: "file" },
  ],
  // A dynamic text of another language is in a script that does not parse.
  GW4024: [{ causes: /^GW2/, reach: "script" }],
  // A misspelt extension.
  GW1044: [{ causes: /^GW10(?:49|55)/, reach: "place" }],
  GW1046: [{ causes: /^GW1045/, reach: "place" }],
  GW3100: [
    { causes: /^GW3003/, reach: "place" },
    // A statement that could not be read, or that sets another field, may be the one that sets it.
    { causes: /^GW(?:2|3133)/, reach: "script", isNamed: true },
  ],
  GW3101: [
    { causes: /^GW(?:1032|4092)/, reach: "file" },
    { causes: /^GW3(?:003|12[56])/, reach: "place" },
  ],
  GW3103: [{ causes: /^GW3125/, reach: "script" }],
  GW3108: [
    { causes: /^GW409[238]/, reach: "file" },
    // A misspelt method behind it may be the fallback.
    { causes: /^GW3004/, reach: "line" },
  ],
  GW3109: [
    { causes: /^GW4092/, reach: "file" },
    // A condition is repeated.
    { causes: /^GW3110/, reach: "place" },
  ],
  GW3107: [{ causes: /^GW4098/, reach: "file" }],
  // If a route and its declared path name a parameter differently, either name may be used to read it.
  GW3117: [
    { causes: /^GW4052/, reach: "file", isNamed: true },
    { causes: /^GW3137/, reach: "related" },
  ],
  GW3125: [{ causes: /^GW3100/, reach: "place" }],
  // A layout of another year shows a day of that year.
  GW3138: [{ causes: /^GW3128/, reach: "place" }],
  // The rest of a text that YAML ends at a comma.
  GW4010: [{ causes: /^GW2009/, reach: "related" }],
  // The operand that the operator does not accept.
  GW3013: [{ causes: /^GW3102/, reach: "place" }],
  // The result of a chain of calls that cannot work is uncertain.
  GW3200: [{ causes: /^GW3(?:10[246]|124)/, reach: "line" }],
  // A case that is not the one for all other values, and a map that does not exist, give no value.
  GW3201: [{ causes: /^GW3(?:002|125)/, reach: "script" }],
  // A component that could not be read may be the one that fails.
  GW3203: [{ causes: unreadPart, reach: "file" }],
  GW3204: [{ causes: unreadPart, reach: "file" }],
  GW3206: [{ causes: unreadPart, reach: "file" }],
  GW3113: [
    { causes: /^GW30(?:01|19)/, reach: "script" },
    // `parts` was written for `$parts`.
    { causes: /^GW3100/, reach: "script", isNamed: true },
  ],
  // A case that is never taken may be the one that was meant to set it.
  GW3114: [
    { causes: /^GW3110/, reach: "script" },
    // Without the type of the request, the values are unknown.
    { causes: /^GW40(?:13|51)/, reach: "file" },
  ],
  GW3115: [
    { causes: /^GW3002/, reach: "script" },
    // A map that is called as a method.
    { causes: /^GW300[34]/, reach: "script", isNamed: true },
  ],
  GW4097: [{ causes: /^GW4080/, reach: "place" }],
  // No text matches a pattern that is written as in another language.
  GW4294: [{ causes: /^GW4092/, reach: "file" }],
  GW4028: [{ causes: /^GW4080/, reach: "place" }],
  GW4052: [
    { causes: /^GW4161/, reach: "place" },
    // A broken path, or one without the parameter that its operations declare.
    { causes: /^GW42(?:73|90)/, reach: "file" },
  ],
  GW4053: [{ causes: /^GW(?:1012|429[06])/, reach: "file" }],
  GW4059: [{ causes: unreadPart, reach: "file" }],
  GW4080: [{ causes: /^GW4(?:168|272)/, reach: "place" }],
  GW4051: [{ causes: /^GW40(?:12|13|34)/, reach: "place" }],
  GW4066: [
    { causes: unreadFile, reach: "set" },
    // The other of two documents with the same id may have the missing one.
    { causes: /^GW1052/, reach: "set" },
  ],
  GW4068: [{ causes: /^GW1052/, reach: "set" }],
  GW4081: [{ causes: /^GW40(?:12|15|22|28|80)/, reach: "place" }],
  GW4133: [{ causes: /^GW402[248]/, reach: "place" }],
  GW4140: [{ causes: /^GW4010/, reach: "place" }],
  GW4142: [
    { causes: /^GW4141/, reach: "file" },
    // A section at the wrong level, or one of two with the same key.
    { causes: /^GW(?:1012|1044|4010)/, reach: "file", isNamed: true },
  ],
  GW4043: [{ causes: /^GW4010/, reach: "file" }],
  GW4146: [
    // A component may lack the name.
    { causes: /^GW4011/, reach: "file" },
    { causes: unreadPart, reach: "file", isNamed: true },
    { causes: /^GW41(?:42|44)/, reach: "file" },
    // A list that lacks an entry.
    { causes: /^GW4034/, reach: "file" },
  ],
  GW4161: [{ causes: /^GW4045/, reach: "file" }],
  // A scheme without a field that says what it is, or with a value that is none.
  GW4200: [{ causes: /^GW104[36]/, reach: "file" }],
  GW4201: [{ causes: /^GW1045/, reach: "file" }],
  // The settings of the schemes are below the unknown extension.
  GW4211: [{ causes: /^GW10(?:49|55)/, reach: "file" }],
  GW4227: [
    // Without its security requirements, an API accepts no credentials.
    { causes: /^GW1045/, reach: "set" },
    // The other of two policies with the same id may have the rights.
    { causes: /^GW4209/, reach: "set" },
  ],
  // A scheme that violates OpenAPI may be of another type.
  GW4210: [{ causes: /^GW104[3-6]/, reach: "file" }],
  GW4284: [{ causes: /^GW1030/, reach: "file" }],
  GW4064: [{ causes: /^GW4011/, reach: "place" }],
  GW4295: [{ causes: /^GW4296/, reach: "place" }],
  GW4215: [{ causes: /^GW1043/, reach: "place" }],
  GW4285: [{ causes: /^GW4013/, reach: "place" }],
  GW4207: [
    { causes: /^GW4071/, reach: "file" },
    { causes: /^GW104[3-6]/, reach: "set" },
    { causes: unreadPart, reach: "set" },
  ],
  GW4280: [{ causes: unreadPart, reach: "file" }],
  GW4205: [{ causes: /^GW1046/, reach: "file" }],
  // A schema that is part of an OpenAPI document.
  GW4092: [{ causes: /^GW104[456]/, reach: "place" }],
  GW4291: [{ causes: /^GW(?:104[456]|4092)/, reach: "place" }],
  GW4093: [{ causes: /^GW1044/, reach: "place" }],
  // A block that may not apply validates nothing for now, and a reference or a field of OpenAPI may be the missing one.
  GW4234: [{ causes: /^GW(?:10[0-3]|104[4-6]|4352)/, reach: "file" }],
};

/**
 * Returns the diagnostics that are no mere consequences. `found` has the reported levels. Only errors hide an error: if
 * a warning, or an error with a lowered level, did, nothing would stop the build.
 */
export function withoutConsequences(found: readonly Diagnostic[]): readonly Diagnostic[] {
  const byErrors = causedBy(found.filter(({ severity }) => severity === "error"));
  const byAll = causedBy(found);
  return found.filter((diagnostic) => {
    const rows = consequences[diagnostic.code] ?? [];
    const isCaused = diagnostic.severity === "error" ? byErrors : byAll;
    return !rows.some(
      (row) => isCaused(row)(diagnostic) && (row.isNamed !== true || isNamedAgain(diagnostic)),
    );
  });
}

function isNamedAgain({ span: { source, start, end } }: Diagnostic): boolean {
  const { text } = source.file;
  const name = source.text.slice(start, end);
  const first = text.indexOf(name);
  return first !== -1 && text.includes(name, first + Math.max(1, name.length));
}

/** Whether one of the causes reaches a diagnostic. */
type IsReached = (diagnostic: Diagnostic) => boolean;

/** Collects the causes of each row once: a document may have tens of thousands of mistakes. */
function causedBy(found: readonly Diagnostic[]): (row: Consequence) => IsReached {
  const known = new Map<Consequence, IsReached>();
  return (row) => {
    const { causes, reach } = row;
    const isReached = known.get(row) ?? reachOf[reach](found.filter(({ code }) => causes.test(code)));
    known.set(row, isReached);
    return isReached;
  };
}

const reachOf: Readonly<Record<Reach, (causes: readonly Diagnostic[]) => IsReached>> = {
  place: reachPlaces,
  line: reachLines,
  script: (causes) => {
    const scripts = new Set(causes.map(({ span }) => span.source));
    return ({ span }) => scripts.has(span.source);
  },
  file: (causes) => {
    const files = new Set(causes.map(pathOf));
    return (diagnostic) => files.has(pathOf(diagnostic));
  },
  set: (causes) => () => causes.length > 0,
  related: (causes) => reachPlaces(causes.flatMap(({ related }) => related ?? [])),
};

function pathOf({ span }: Placed): string {
  return span.source.file.path;
}

/** Reaches the lines of scripts on which causes begin. */
function reachLines(causes: readonly Diagnostic[]): IsReached {
  const scripts = new Map(
    [...Map.groupBy(causes, ({ span }) => span.source)].map(([source, own]) => {
      const lineStarts = findLineStarts(source.text);
      const lineOf = ({ span }: Diagnostic) => lineIndexOf({ lineStarts }, span.start);
      return [source, { lineOf, lines: new Set(own.map(lineOf)) }];
    }),
  );
  return (diagnostic) => {
    const script = scripts.get(diagnostic.span.source);
    return script?.lines.has(script.lineOf(diagnostic)) === true;
  };
}

/** Reaches what overlaps with a cause in its file. */
function reachPlaces(causes: readonly Placed[]): IsReached {
  const files = new Map(
    [...Map.groupBy(causes, pathOf)].map(([path, own]) => {
      const ranges = own.map(rangeOf).sort((one, other) => one.start - other.start);
      let furthest = -1;
      const ends = ranges.map(({ end }) => (furthest = Math.max(furthest, end)));
      return [path, { starts: ranges.map(({ start }) => start), ends }];
    }),
  );
  return (diagnostic) => {
    const file = files.get(pathOf(diagnostic));
    const { start, end } = rangeOf(diagnostic);
    if (file === undefined) return false;
    const { starts, ends } = file;
    const reached = firstIndex(starts.length, (index) => (starts[index] ?? 0) > end);
    return (ends[reached - 1] ?? -1) >= start;
  };
}

/** Something at a place in a file. */
type Placed = Pick<Diagnostic, "span">;

function rangeOf({ span: { source, start, end } }: Placed): { start: number; end: number } {
  return { start: source.offsetInFile(start), end: source.offsetInFile(end) };
}

/** The number of diagnostics of each level, including those that lists omit because of their limit. */
export type Counts = Readonly<Record<Severity, number>>;

/** The diagnostics that are reported to users. */
export interface Leveled {
  /** In the fixed order: file, then place, then code. */
  readonly diagnostics: readonly Diagnostic[];
  readonly suppressed: readonly SuppressedDiagnostic[];
  readonly counts: Counts;
}

/**
 * Applies the levels of the set to the diagnostics and removes the suppressed ones. Diagnostics that are not adjustable
 * keep their level. A suppression without effect becomes a warning, unless its file has an error that may hide the
 * diagnostic that it suppresses.
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

/** Matches suppressions with diagnostics. Several may cover the same diagnostic, and all of them count as used. */
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

/** Whether a diagnostic is in a range, by its start. */
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

/** Whether a diagnostic may hide others: parts that could not be read or understood were not checked. */
function isHiding({ code, severity }: Diagnostic): boolean {
  return severity === "error" && isFixed(code);
}

function countLevels(diagnostics: readonly Diagnostic[]): Counts {
  const counts = { error: 0, warning: 0, info: 0 };
  for (const { severity } of diagnostics) counts[severity]++;
  return counts;
}

/** The level of a code in a set; `off` is not reported at all. */
export type Level = Severity | "off";

/** One code of a suppression such as `# sluice-ignore GW4018: planned for spring`. */
export interface Suppression {
  readonly code: DiagnosticCode;
  readonly reason: string;
  /** The place of the report if it suppresses nothing. */
  readonly span: Span;
  /** The ranges to which it applies. */
  readonly covers: readonly FileRange[];
  /** The range to which it applies if `covers` contains no diagnostic with its code. */
  readonly otherwise?: FileRange;
  /** The edit that removes it from the file, if that is simple. */
  readonly removal?: Edit;
}
