// Renders diagnostics as workflow commands, which GitHub shows next to the lines of a change.

import { locate } from "../../source/source.ts";
import { findEntry } from "../catalogue.ts";
import type { Diagnostic } from "../diagnostic.ts";

const commands = { error: "error", warning: "warning", info: "notice" } as const;

/** Returns one `::error file=…` line for each diagnostic; empty if there are none. */
export function renderGithub(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map((diagnostic) => `${renderCommand(diagnostic)}\n`).join("");
}

function renderCommand({ code, severity, message, hint, span }: Diagnostic): string {
  const { file, start, end } = locate(span);
  const slug = findEntry(code)?.slug;
  const properties = {
    file: file.path,
    line: start.line,
    endLine: end.line,
    // GitHub accepts columns only if the place is within one line.
    ...(end.line === start.line ? { col: start.column, endColumn: end.column } : {}),
    title: slug === undefined ? code : `${code} ${slug}`,
  };
  const list = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(String(value))}`);
  const text = hint === undefined ? message : `${message}\n${hint}`;
  return `::${commands[severity]} ${list.join(",")}::${escapeText(text)}`;
}

function escapeText(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeText(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
