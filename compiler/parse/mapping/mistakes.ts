// From a failure of the grammar to a diagnostic for people: which kind of mistake it is, which text to
// change, and what advice fits.

import type { Report } from "../../diagnostics/sink.ts";
import { type SourceText, spanOf } from "../../source/source.ts";
import type { Mistake, ParseFailure } from "./failure.ts";
import { findAdvice, findForeignToken } from "./habits.ts";

const tokenPattern = /[A-Za-z0-9_]+|&&|\|\||==|!=|<=|>=|=>|->|\S/uy;

/** The reference's terms, as they read in a sentence. */
const readableTerms: ReadonlyMap<string, string> = new Map([
  ["assignment", "a statement"],
  ["closing bracket", "a closing bracket"],
  ["comma", "a comma"],
  ["line break", "a line break"],
  ["target path", "a segment of the target"],
  ["variable name", "the name of a variable"],
  ["map name", "the name of a map"],
  ["filepath", "a path in double quotes"],
  ["quoted string", "a string in double quotes"],
  ["whitespace", "a space"],
  ["number", "a digit"],
  ["variable path", "the name of a variable"],
]);

const valueTerms: ReadonlySet<string> = new Set([
  "query",
  "match case",
  "function argument",
  "argument value",
]);

const closers: ReadonlyMap<string, string> = new Map([
  ["}", "`}`"],
  [")", "`)`"],
  ["]", "`]`"],
  ["closing bracket", "a closing bracket"],
]);

/** Reports a failure. `reference` is what the reference says about the same text. */
export function reportFailure(
  source: SourceText,
  failure: ParseFailure,
  reference: string,
  report: Report,
): void {
  const mistake = failure.mistake ?? classify(source.text, failure);
  // TypeScript cannot see that `code` and `details` of one `Mistake` belong together.
  const details = { ...mistake.details, reference } as never;
  // What is missing at the end belongs after the last text, not below it: a block scalar's text ends with
  // a line break, and the line after that holds something else.
  const last = source.text.trimEnd().length;
  const span = spanOf(source, Math.min(mistake.start, last), Math.min(mistake.end, last));
  report(mistake.code, span, details);
}

/** The mistake that a failure without a code of its own amounts to. */
function classify(text: string, failure: ParseFailure): Mistake {
  const { at, wanted } = failure;
  if (text[at] === "#" && !text.includes("\n", at)) {
    return { code: "GW2007", start: at, end: text.length, details: {} };
  }
  const foreign = findForeignToken(text, at);
  if (foreign !== undefined) {
    const { habit, start, end } = foreign;
    const token = habit === "quotes" ? text.charAt(start) : text.slice(start, end);
    return { code: "GW2026", start, end, details: { habit, found: `\`${token}\`` } };
  }
  if (at >= text.length && wanted.includes("import")) {
    return { code: "GW2010", start: at, end: at, details: {} };
  }
  const close = wanted.map((term) => closers.get(term)).find((term) => term !== undefined);
  if (close !== undefined && text.slice(at).trim() === "") {
    return { code: "GW2009", start: at, end: at, details: { close } };
  }
  return findOpenEnd(text, failure) ?? classifyByTerms(text, failure);
}

/** An assignment from the beginning of its line on. */
const assignment = /^[ \t]*(?:let[ \t]+\w+|meta[ \t]+(?:\w+|"[^"\n]*")|[\w.]+)[ \t]*=(?!=)/;

/** What cannot end a value: it goes on with the next line. */
const openEnd = /(?:(\.)|->|=>|[-+*/%|&<>!=([,:])$/;

/**
 * The end of a line that nothing complete ends, as while it is being written: the assignment below became a part of its value.
 * The grammar fails where that assignment goes on.
 */
function findOpenEnd(text: string, { at, wanted }: ParseFailure): Mistake | undefined {
  if (wanted.every((term) => term === "whitespace")) return undefined;
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  const line = text.slice(lineStart, lineStart + reach).split("\n", 1)[0] ?? "";
  const statement = assignment.exec(line)?.[0];
  if (statement === undefined || at >= lineStart + statement.length) return undefined;
  const above = withoutComments(text.slice(Math.max(0, lineStart - reach), lineStart));
  const end = Math.max(0, lineStart - reach) + above.length;
  const open = openEnd.exec(above);
  if (open === null) return undefined;
  const details = { found: "the end of the line", habit: undefined };
  return { code: open[1] === undefined ? "GW2008" : "GW2013", start: end, end, details };
}

/** A text without the blank lines and comments at its end. */
function withoutComments(text: string): string {
  const lines = text.split("\n");
  for (;;) {
    const last = lines.pop();
    if (last === undefined) return "";
    const code = /^[^#]*$/.test(last) ? last : last.replace(/(?:^|[ \t])#[^"]*$/, "");
    if (code.trim() !== "") return [...lines, code.trimEnd()].join("\n");
  }
}

/** How far around a failure is looked: what is written by hand is shorter. */
const reach = 1000;

function classifyByTerms(text: string, { at, wanted }: ParseFailure): Mistake {
  const found = describe(text, at);
  const details = { found: found.text, habit: findAdvice(text, at) };
  const place = { start: at, end: found.end } as const;
  const only = (term: string): boolean => wanted.every((other) => other === term);
  if (only("whitespace") && isAtSign(text, at)) return { code: "GW2006", ...aroundSign(text, at), details };
  if (wanted.some((term) => valueTerms.has(term))) return { code: "GW2008", ...place, details };
  if (wanted.includes("method")) return { code: "GW2013", ...place, details };
  if (only("line break")) return { code: "GW2012", ...place, details };
  if (only("end of query")) {
    const habit = details.habit ?? (text[at] === "=" ? "single-equals" : undefined);
    return { code: "GW2011", ...place, details: { ...details, habit } };
  }
  if (only("end of expression")) return { code: "GW2024", ...place, details };
  if (wanted.includes("assignment")) return { code: "GW2027", ...place, details };
  return { code: "GW2001", ...place, details: { ...details, expected: describeTerms(wanted) } };
}

function isAtSign(text: string, at: number): boolean {
  return text[at] === "=" || text[at - 1] === "=";
}

function aroundSign(text: string, at: number): { start: number; end: number } {
  const start = text[at] === "=" ? at : at - 1;
  return { start, end: start + 1 };
}

/** What stands at a place, and where that ends. */
function describe(text: string, at: number): { text: string; end: number } {
  if (at >= text.length) return { text: "the end of the text", end: at };
  tokenPattern.lastIndex = at;
  const token = tokenPattern.exec(text)?.[0];
  if (token !== undefined) return { text: `\`${token}\``, end: at + token.length };
  const isBlank = text[at] === " " || text[at] === "\t";
  return isBlank ? { text: "a space", end: at + 1 } : { text: "the end of the line", end: at };
}

function describeTerms(expected: readonly string[]): string {
  const terms = [...new Set(expected)].map((term) => readableTerms.get(term) ?? `\`${term}\``);
  return terms.length < 2 ? terms.join("") : `${terms.slice(0, -1).join(", ")} or ${terms.at(-1)}`;
}
