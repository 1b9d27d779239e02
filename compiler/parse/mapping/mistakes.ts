// Turns a grammar failure into a diagnostic: determines the kind of mistake, the text to change and the advice that
// fits.

import { coreBuiltins } from "../../builtins/catalogue.ts";
import { nameElsewhere } from "../../builtins/names-elsewhere.ts";
import type { Habit } from "../../diagnostics/catalogue/2-mapping.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { nearest } from "../../diagnostics/suggest.ts";
import { type SourceText, type Span, spanOf } from "../../source/source.ts";
import type { Mistake, ParseFailure } from "./failure.ts";
import { findAdvice, findForeignToken } from "./habits.ts";

const tokenPattern = /[A-Za-z0-9_]+|&&|\|\||==|!=|<=|>=|=>|->|\S/uy;

/** The reference's terms in the form in which they read well in a sentence. */
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

/** The habits of names that only quotes can contain. */
const nameHabits: ReadonlySet<Habit> = new Set([
  "name-in-quotes",
  "parameter-name",
  "quoted-field",
  "quoted-target",
  "quoted-variable",
]);

/** The names of the strings of other languages: their text would be hard to read in backticks. */
const strings: ReadonlyMap<string, string> = new Map([
  ["'", "strings in single quotes"],
  ["`", "strings in backquotes"],
  ...[..."“”„‟«»‘’‚‛"].map((quote) => [quote, "strings in typographic quotes"] as const),
  ["template-string", "template strings"],
]);

/** Reports a failure. `reference` is the error that the reference reports for the same text. */
export function reportFailure(
  source: SourceText,
  failure: ParseFailure,
  reference: string,
  report: Report,
): void {
  const mistake = withJoinedLines(source, failure.mistake ?? classify(source.text, failure));
  const cutOff = mistake.code === "GW2009" ? findCutOff(source) : undefined;
  // TypeScript cannot see that `code` and `details` of one `Mistake` belong together.
  const details = { ...mistake.details, reference, isCutOff: cutOff !== undefined } as never;
  // A token missing at the end belongs after the last text, not below it: the text of a block scalar ends with a line
  // break, and the next line holds something else.
  const last = source.text.trimEnd().length;
  const span = spanOf(source, Math.min(mistake.start, last), Math.min(mistake.end, last));
  const related = cutOff && { span: cutOff, message: "This is no part of it." };
  report(mistake.code, span, details, related);
}

/** The number of characters that are searched for the rest of a text: it ends on the same line. */
const cutReach = 200;

/** Returns the rest of a text without quotes that YAML ends at a comma: `{ mapping: root = this.a.slice(0, 2) }`. */
function findCutOff(source: SourceText): Span | undefined {
  const { text, file } = source;
  const end = source.offsetInFile(text.length);
  const [, before = "", rest] =
    /^([ \t]*,[ \t]*)([^\n):]*\))/.exec(file.text.slice(end, end + cutReach)) ?? [];
  if (rest === undefined) return undefined;
  return spanOf(file, end + before.length, end + before.length + rest.length);
}

/**
 * Returns the mistake with the habit `joined-lines` if YAML joined the lines of a text that was written without `|`.
 */
function withJoinedLines(source: SourceText, mistake: Mistake): Mistake {
  const isEmpty = mistake.code === "GW2010";
  if (!isEmpty && mistake.code !== "GW2012" && mistake.code !== "GW2011") return mistake;
  const { text, file } = source;
  if (text.trim() === "") return mistake;
  const start = source.offsetInFile(isEmpty ? 0 : text.slice(0, mistake.start).trimEnd().length);
  const lines = file.text.slice(start, source.offsetInFile(mistake.start));
  if (!lines.includes("\n") || text.slice(0, mistake.start).trimEnd().includes("\n")) return mistake;
  return { ...mistake, details: { ...mistake.details, habit: "joined-lines" } } as Mistake;
}

/**
 * Finds `toUpperCase(` of another language. Function and method names are in lower case, so the grammar sees a field.
 */
function findUpperCaseCall(text: string, at: number): Mistake | undefined {
  if (text[at] !== "(") return undefined;
  const before = text.slice(Math.max(0, at - longestName), at);
  const [name, dot] = /(\.?)\b[A-Za-z_]*[A-Z]\w*$/.exec(before) ?? [];
  if (name === undefined || dot === undefined) return undefined;
  const kind = dot === "" ? "function" : "method";
  const written = name.slice(dot.length);
  const snake = written.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase();
  const own = coreBuiltins.names(kind);
  const { closest, advice } = own.includes(snake)
    ? { closest: snake, advice: undefined }
    : nameElsewhere(kind, written, coreBuiltins);
  const near = closest === undefined ? nearest(snake, own) : { closest, respelling: "unsure" as const };
  const details = { kind, name: written, advice, ...near } as const;
  return { code: "GW2028", start: at - written.length, end: at, details };
}

/** The maximum length of a name that is looked up: no function name is similar to a longer one. */
const longestName = 60;

/** Returns the mistake for a failure that has no code of its own. */
function classify(text: string, failure: ParseFailure): Mistake {
  const { at, wanted } = failure;
  const misspelt = findUpperCaseCall(text, at);
  if (misspelt !== undefined) return misspelt;
  if (text[at] === "#" && !text.includes("\n", at)) {
    return { code: "GW2007", start: at, end: text.length, details: {} };
  }
  const foreign = findForeignToken(text, at);
  if (foreign !== undefined) {
    const { habit, start, end } = foreign;
    const token = `\`${text.slice(start, end)}\``;
    const found = nameHabits.has(habit)
      ? `names such as ${token} without quotes`
      : (strings.get(habit === "quotes" ? text.charAt(start) : habit) ?? token);
    return { code: "GW2026", start, end, details: { habit, found } };
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

/** A token that cannot end a value, so that the value continues on the next line. */
const openEnd = /(?:(\.)|->|=>|[-+*/%|&<>!=([,:])$/;

/**
 * Finds a line that ends with an incomplete value, as happens while it is being written: the assignment below it became
 * part of the value, and the grammar fails in the middle of that assignment.
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

/** Returns a text without the blank lines and comments at its end. */
function withoutComments(text: string): string {
  const lines = text.split("\n");
  for (;;) {
    const last = lines.pop();
    if (last === undefined) return "";
    const code = /^[^#]*$/.test(last) ? last : last.replace(/(?:^|[ \t])#[^"]*$/, "");
    if (code.trim() !== "") return [...lines, code.trimEnd()].join("\n");
  }
}

/** The number of characters around a failure that are searched: hand-written code is shorter. */
const reach = 1000;

function classifyByTerms(text: string, { at, wanted }: ParseFailure): Mistake {
  const early = endsTooEarly(text, at, wanted);
  if (early !== undefined) return early;
  const found = describe(text, at);
  const expectsArrow = wanted.includes("=>") ? "match-arrow" : undefined;
  const details = { found: found.text, habit: findAdvice(text, at) ?? expectsArrow };
  const place = { start: at, end: found.end } as const;
  const only = (term: string): boolean => wanted.every((other) => other === term);
  if (only("whitespace") && isAtSign(text, at)) {
    const sign = aroundSign(text, at);
    const isLast = /[ \t]/.test(text[sign.start - 1] ?? "") && /^[ \t\r]*(?:\n|$)/.test(text.slice(sign.end));
    if (isLast) return withoutValue(text, sign.end);
    const start = text[sign.start - 1] === "=" ? sign.start - 1 : sign.start;
    const end = text[start + 1] === "=" ? start + 2 : start + 1;
    return end - start === 2
      ? { code: "GW2006", start, end, details: { ...details, habit: "double-equals" } }
      : { code: "GW2006", ...sign, details };
  }
  if (wanted.some((term) => valueTerms.has(term))) return { code: "GW2008", ...place, details };
  if (wanted.includes("method")) return { code: "GW2013", ...place, details };
  const ending = earlyEnds.find(([term]) => only(term));
  if (ending !== undefined) {
    const equals = text.startsWith("=<", at) ? "turned-comparison" : "single-equals";
    const habit =
      details.habit ?? (text[at] === "=" ? equals : (commaHabit(text, at) ?? bracketHabit(text, at)));
    return { code: ending[1], ...place, details: { ...details, habit } };
  }
  if (wanted.includes("assignment")) return { code: "GW2027", ...place, details };
  return { code: "GW2001", ...place, details: { ...details, expected: describeTerms(wanted) } };
}

/** Returns the mistake for an assignment whose line ends with its sign. */
function withoutValue(text: string, end: number): Mistake {
  const isEnd = text.slice(end).trim() === "";
  const found = isEnd ? "the end of the text" : "the end of the line";
  return { code: "GW2008", start: end, end, details: { found, habit: isEnd ? undefined : "value-below" } };
}

/** What should end a statement or a query, and the code of other text there. */
const earlyEnds = [
  ["line break", "GW2012"],
  ["end of query", "GW2011"],
  ["end of expression", "GW2024"],
] as const;

/** A comma at the end of a line ends a statement as a semicolon does in other languages. */
function commaHabit(text: string, at: number): "semicolon" | undefined {
  return /^,[ \t]*(?:#|\r?\n|$)/.test(text.slice(at, at + reach)) ? "semicolon" : undefined;
}

function bracketHabit(text: string, at: number): "unopened-bracket" | undefined {
  return /[)\]}]/.test(text[at] ?? "") ? "unopened-bracket" : undefined;
}

/** Finds the mistake at the end of a line if the grammar continued to read on the next line. */
function endsTooEarly(text: string, at: number, wanted: readonly string[]): Mistake | undefined {
  const line = text.lastIndexOf("\n", at - 1) + 1;
  const end = text.slice(0, line).trimEnd().length;
  const found = "the end of the line";
  const place = { start: end, end };
  const last = text.slice(text.lastIndexOf("\n", end - 1) + 1, end);
  if (line === 0 || last.includes("#")) return undefined;
  if (text.slice(line, at).trim() === "" && wanted.some((term) => closers.has(term)))
    return { code: "GW2001", ...place, details: { found, expected: describeTerms(wanted) } };
  // The beginning of the next statement was read as the rest of this one.
  const isStatement = /^\s*(?:(?:meta|let|map|import|if)\s+\S*\s*|[\w."]+\s*)$/.test(text.slice(line, at));
  if (!isStatement || !wanted.every((term) => term === "line break")) return undefined;
  if (last.endsWith(".")) return { code: "GW2013", ...place, details: { found } };
  return /[-+*/%&|<>=]$/.test(last) ? { code: "GW2008", ...place, details: { found } } : undefined;
}

function isAtSign(text: string, at: number): boolean {
  return text[at] === "=" || text[at - 1] === "=";
}

function aroundSign(text: string, at: number): { start: number; end: number } {
  const start = text[at] === "=" ? at : at - 1;
  return { start, end: start + 1 };
}

/** Returns a description of the text at a place, and the offset of its end. */
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
