// Finds the secrets in the expressions of mappings, in text that may not parse.

import { isSecretName } from "./names.ts";
import { closingQuote, endOfLine, type HiddenRange, longestLooked, matchesInLines } from "./values.ts";

/** Yields the ranges of the secrets in all mappings of a text. */
export function* mappingRanges(text: string): Iterable<HiddenRange> {
  const searched = { text, left: 4 * text.length + 100_000 };
  yield* assignedTexts(searched);
  yield* comparedTexts(searched);
  yield* argumentTexts(searched);
}

/** A text with the number of characters of expressions that may still be read, also repeatedly. */
interface Searched {
  readonly text: string;
  left: number;
}

/**
 * The number of characters of an expression that are read once `left` is used up: a large text that begins an
 * expression at each place could otherwise occupy the process for minutes.
 */
const shortestLooked = 100;

/** Yields the texts that an expression assigns to a secret name. */
function* assignedTexts(searched: Searched): Iterable<HiddenRange> {
  const { text } = searched;
  const assignment = /(?<![\w-])([A-Za-z_][\w-]*)\\?"?[ \t]*=(?![=>])/g;
  for (const { 0: matched, 1: name = "", index } of matchesInLines(text, "=", assignment))
    if (isSecretName(name)) yield* textsOfExpression(searched, index + matched.length);
  // Members of objects, in a mapping that is in quotes itself.
  const member = /\\"([A-Za-z_][\w-]*)\\"[ \t]*:/g;
  for (const { 0: matched, 1: name = "", index } of matchesInLines(text, '\\":', member))
    if (isSecretName(name)) yield* textsOfExpression(searched, index + matched.length);
}

/**
 * Yields texts that are compared with the value of a secret name: `this.token == "…"`, `match this.token { "…" => … }`,
 * `["…"].contains(this.token)`.
 */
function* comparedTexts(searched: Searched): Iterable<HiddenRange> {
  const { text } = searched;
  for (const { index } of matchesInLines(text, "=", /[=!]=/g)) {
    const [before, after] = [text.slice(Math.max(0, index - 200), index), text.slice(index + 2, index + 200)];
    const [operand = ""] = /^[\w.@$"()\\ \t-]*/.exec(after) ?? [];
    const [, written] = /(?<!\w)"([^"\\\n]*)\\?"\s*$/.exec(before) ?? [];
    const start = index + 2 + after.length - after.trimStart().length;
    if (isSecretName(readName(before))) yield* firstText(searched, start);
    if (written !== undefined && isSecretName(readName(operand))) {
      const from = index - before.length + before.lastIndexOf(written);
      yield { start: from, end: from + written.length };
    }
  }
  for (const { index } of matchesInLines(text, "| ", /\|(?= )/g))
    if (isSecretName(readName(text.slice(Math.max(0, index - 200), index))))
      yield* firstText(searched, index + 2);
  const matching = /\bmatch ([^{\n]{1,200})\{/g;
  for (const { 0: matched, 1: subject = "", index } of matchesInLines(text, "match ", matching))
    if (isSecretName(readName(subject))) yield* textsOfCases(searched, index + matched.length - 1);
  const listed = /\[([^[\]\n]*)\]\.contains\(([\w.@$"(\\-]{1,200})/g;
  for (const { 1: list = "", 2: subject = "", index } of matchesInLines(text, ".contains(", listed))
    if (isSecretName(readName(subject))) yield { start: index + 1, end: index + 1 + list.length };
}

/** Returns the name of the value that an operand ends with, perhaps in another case: not that of its type or length. */
function readName(operand: string): string {
  const call = /\.(?:string|lowercase|uppercase|trim)\(\)$/;
  let path = operand.trimEnd();
  while (call.test(path)) path = path.replace(call, "");
  return /([A-Za-z_][\w-]*)(?:\\?"\)?)?$/.exec(path)?.[1] ?? "";
}

/** Yields the text that begins at `start`, if one does. */
function* firstText(searched: Searched, start: number): Iterable<HiddenRange> {
  if (/^\\?"/.test(searched.text.slice(start, start + 2))) {
    for (const found of textsOfExpression(searched, start)) {
      yield found;
      return;
    }
  }
}

/**
 * Yields keys that mappings give to methods, such as `.hash("hmac_sha256", "…")`, and defaults of secret names:
 * `env("PASSWORD").or("…")`.
 */
function* argumentTexts(searched: Searched): Iterable<HiddenRange> {
  const { text } = searched;
  for (const [sign, place, call] of keyedCalls)
    for (const { 0: matched, index } of matchesInLines(text, sign, call))
      yield* textsOfKey(searched, index + matched.length, place);
  for (const sign of [".or(", ".catch("])
    for (const { 0: matched, index } of matchesInLines(text, sign, /\.(?:or|catch)\(/g))
      if (isSecretName(readName(text.slice(Math.max(0, index - 200), index))))
        yield* textsOfKey(searched, index + matched.length, 0);
}

/** Methods with a key: a part of their names, the position of the key among the arguments, and the call. */
const keyedCalls: readonly (readonly [string, number, RegExp])[] = [
  ["hash(", 1, /\bhash\(/g],
  ["crypt_aes(", 1, /\b(?:en|de)crypt_aes\(/g],
  ["_jwt_", 0, /\b(?:sign|parse)_jwt_\w+\(/g],
  ["compare_", 0, /\bcompare_(?:argon2|bcrypt)\(/g],
];

/** A text in an expression of a mapping, without its quotes. */
interface ExpressionText {
  readonly start: number;
  readonly end: number;
  /** The position after the closing quote. */
  readonly after: number;
  /** The position of the argument among those of the call, and its name if it is written. */
  readonly argument: number;
  readonly name: string | undefined;
}

/**
 * Yields the texts of the argument at `place`, or with the name of a key, of the call whose arguments begin at `open`.
 * A text that other calls read by, as in `env("KEY")`, is no key itself.
 */
function* textsOfKey(searched: Searched, open: number, place: number): Iterable<ExpressionText> {
  for (const found of textsFrom(searched, open, 1)) {
    const { argument, name } = found;
    if (name === undefined ? argument === place : /^(?:key|\w*secret)$/.test(name)) yield found;
  }
}

/**
 * Yields the texts that an expression may evaluate to: not those that calls read by, that are compared, or that are
 * names of an object.
 */
function* textsOfExpression(searched: Searched, start: number): Iterable<ExpressionText> {
  const { text } = searched;
  for (const found of textsFrom(searched, start, 0)) {
    const isCompared = /[=!]=[ \t]*\\?"{1,3}$/.test(
      text.slice(Math.max(start, found.start - 20), found.start),
    );
    const isOther = /^\s*(?:=>|[=!]=|:)/.test(text.slice(found.after, found.after + 20));
    if (!isCompared && !isOther) yield found;
  }
}

/** Yields the texts that the cases of a `match` compare with, whose brace is at `open`. */
function* textsOfCases(searched: Searched, open: number): Iterable<ExpressionText> {
  const { text } = searched;
  for (const found of textsFrom(searched, open, 0))
    if (/^\s*=>/.test(text.slice(found.after, found.after + 20))) yield found;
}

/** Yields the texts from `from` to the end of the expression, or of the call if `opened` is 1. */
function* textsFrom(searched: Searched, from: number, opened: 0 | 1): Iterable<ExpressionText> {
  const { text } = searched;
  const end = Math.min(text.length, from + (searched.left > 0 ? longestLooked : shortestLooked));
  let [depth, argument, readAt] = [opened as number, 0, Number.POSITIVE_INFINITY];
  let name = nameOfArgument(text, from);
  for (let at = from; at < end && depth >= opened; at++, searched.left--) {
    const char = text.charAt(at);
    const lead = () => text.slice(Math.max(from, at - 8), at);
    if (char === '"') {
      // A quote after a name ends the mapping itself. Quotes are escaped if the whole mapping is in quotes.
      if (/[\w)\]}]$/.test(lead())) return;
      const quotes = lead().endsWith("\\") ? '\\"' : text.startsWith('"""', at) ? '"""' : '"';
      const first = quotes === '"""' ? at + 3 : at + 1;
      const close = quotes === '"' ? closingQuote(text, at) : text.indexOf(quotes, first);
      const last = quotes === '"""' && close !== -1 ? close : Math.min(endOfLine(text, at), close >>> 0);
      const after = last + quotes.length;
      if (depth < readAt && !/\.\\?$/.test(lead())) yield { start: first, end: last, after, argument, name };
      at = after - 1;
    } else if (/[([{]/.test(char)) {
      depth += 1;
      const [called] = char === "(" ? (/\w+$/.exec(lead()) ?? []) : [];
      if (called !== undefined && called !== "or" && called !== "catch") readAt = Math.min(readAt, depth);
    } else if (/[)\]}]/.test(char)) {
      if (depth === readAt) readAt = Number.POSITIVE_INFINITY;
      depth -= 1;
    } else if (char === "," && depth === 0) return;
    else if (char === "," && depth === 1) {
      argument += 1;
      name = nameOfArgument(text, at + 1);
    } else if (depth === 0 && endsExpression(text, at, lead)) return;
  }
}

/** Whether an expression outside of brackets ends at a line break, which may be escaped, or at a single quote. */
function endsExpression(text: string, at: number, lead: () => string): boolean {
  const char = text.charAt(at);
  if (char === "'" || char === "#") return true;
  const isBreak = char === "\n" || (char === "\\" && text.charAt(at + 1) === "n");
  if (!isBreak) return false;
  const next = text.slice(char === "\n" ? at + 1 : at + 2, at + 200);
  return !(/[=+|&(]\s*$/.test(lead()) || /^\s*(?:\.\w|[|+]|&&|else\b)/.test(next));
}

function nameOfArgument(text: string, start: number): string | undefined {
  return /^\s*(\w+)\s*:/.exec(text.slice(start, start + 80))?.[1];
}
