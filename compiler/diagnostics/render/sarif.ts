// Diagnostics as SARIF 2.1.0, which code hosts and editors read.

import { pathToFileURL } from "node:url";
import { locate } from "../../source/source.ts";
import { findEntry } from "../catalogue.ts";
import type { Diagnostic, Related, Severity } from "../diagnostic.ts";
import { explain } from "../explain.ts";

const levels: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", info: "note" };

/** One run, with a rule for each code that occurs. */
export function renderSarif(diagnostics: readonly Diagnostic[]): string {
  const codes = [...new Set(diagnostics.map((diagnostic) => diagnostic.code))].toSorted();
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "sluice", rules: codes.map(describeRule) } },
        columnKind: "unicodeCodePoints",
        results: diagnostics.map((diagnostic) => describeResult(diagnostic, codes)),
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

/** SARIF names rules like identifiers: `DuplicateKey`. */
function nameOf(slug: string): string {
  return slug.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function describeResult(diagnostic: Diagnostic, codes: readonly string[]) {
  const { code, severity, message, hint, related } = diagnostic;
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: levels[severity],
    message: { text: hint === undefined ? message : `${message} ${hint}` },
    locations: [describeLocation(diagnostic)],
    ...(related === undefined ? {} : { relatedLocations: [describeRelated(related)] }),
  };
}

function describeRelated(related: Related) {
  return { id: 1, ...describeLocation(related), message: { text: related.message } };
}

function describeLocation({ span }: Pick<Diagnostic, "span">) {
  const { file, start, end } = locate(span);
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(file.path) },
      region: {
        startLine: start.line,
        startColumn: start.column,
        endLine: end.line,
        endColumn: end.column,
      },
    },
  };
}

/** Relative paths stay relative, so that a report means the same on another machine. */
function uriOf(path: string): string {
  if (/^(?:\/|[A-Za-z]:)/.test(path)) return pathToFileURL(path).href;
  return path.split("/").map(encodeURIComponent).join("/");
}
