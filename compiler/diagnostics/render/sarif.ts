// Renders diagnostics as SARIF 2.1.0, which code hosts and editors read.

import { pathToFileURL } from "node:url";
import { locate, type Span } from "../../source/source.ts";
import { findEntry } from "../catalogue.ts";
import type { Diagnostic, Edit, Fix, Related, Severity, SuppressedDiagnostic } from "../diagnostic.ts";
import { explain } from "../explain.ts";

const levels: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", info: "note" };

/** Returns one run with a rule for each code that occurs. Suppressed results come last. */
export function renderSarif(
  diagnostics: readonly Diagnostic[],
  suppressed: readonly SuppressedDiagnostic[] = [],
): string {
  const codes = [...new Set([...diagnostics, ...suppressed].map(({ code }) => code))].toSorted();
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "sluice", rules: codes.map(describeRule) } },
        columnKind: "unicodeCodePoints",
        results: describeResults(diagnostics, suppressed, codes),
      },
    ],
  };
  return JSON.stringify(log, undefined, 2);
}

function describeRule(code: string) {
  const entry = findEntry(code);
  const page = explain(code);
  return {
    id: code,
    ...(entry === undefined
      ? {}
      : {
          name: nameOf(entry.slug),
          shortDescription: { text: `${entry.slug.replaceAll("-", " ")}.` },
          defaultConfiguration: { level: levels[entry.severity] },
        }),
    help: { text: `sluice explain ${code}`, ...(page === undefined ? {} : { markdown: page }) },
  };
}

/** Returns the name of a rule as an identifier, as in SARIF: `DuplicateKey`. */
function nameOf(slug: string): string {
  return slug.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Describes results. If one result has suppressions, the format requires all others to have an empty list. */
function describeResults(
  diagnostics: readonly Diagnostic[],
  suppressed: readonly SuppressedDiagnostic[],
  codes: readonly string[],
) {
  const none = suppressed.length === 0 ? {} : { suppressions: [] };
  return [
    ...diagnostics.map((diagnostic) => ({ ...describeResult(diagnostic, codes), ...none })),
    ...suppressed.map((diagnostic) => ({
      ...describeResult(diagnostic, codes),
      suppressions: [{ kind: "inSource", justification: diagnostic.reason }],
    })),
  ];
}

function describeResult(diagnostic: Diagnostic, codes: readonly string[]) {
  const { code, severity, message, hint, related, fix } = diagnostic;
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: levels[severity],
    message: { text: hint === undefined ? message : `${message} ${hint}` },
    locations: [describeLocation(diagnostic)],
    ...(related === undefined ? {} : { relatedLocations: [describeRelated(related)] }),
    ...(fix === undefined ? {} : { fixes: [describeFix(fix, diagnostic)] }),
  };
}

function describeRelated(related: Related) {
  return { id: 1, ...describeLocation(related), message: { text: related.message } };
}

/** Describes a fix, whose edits are all in one file. */
function describeFix({ title, edits }: Fix, { span }: Diagnostic) {
  const { file } = (edits[0]?.span ?? span).source;
  return {
    description: { text: title },
    artifactChanges: [
      { artifactLocation: { uri: uriOf(file.path) }, replacements: edits.map(describeReplacement) },
    ],
  };
}

function describeReplacement({ span, text }: Edit) {
  return { deletedRegion: describeRegion(span), insertedContent: { text } };
}

function describeLocation({ span }: Pick<Diagnostic, "span">) {
  const { file } = span.source;
  return {
    physicalLocation: { artifactLocation: { uri: uriOf(file.path) }, region: describeRegion(span) },
  };
}

function describeRegion(span: Span) {
  const { start, end } = locate(span);
  return {
    startLine: start.line,
    startColumn: start.column,
    endLine: end.line,
    endColumn: end.column,
  };
}

/** Returns a URI. Relative paths stay relative, so that a report has the same meaning on another machine. */
function uriOf(path: string): string {
  if (/^(?:\/|[A-Za-z]:)/.test(path)) return pathToFileURL(path).href;
  return path.split("/").map(encodeURIComponent).join("/");
}
