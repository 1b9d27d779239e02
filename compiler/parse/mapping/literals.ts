// Parses literals that contain no query: numbers, words and strings.

import type {
  BooleanLiteral,
  FloatLiteral,
  IntegerLiteral,
  Name,
  NullLiteral,
  StringLiteral,
} from "../../trees/mapping.ts";
import { decodeString } from "./escapes.ts";
import { fatal, missing, type Parsed, ParseFailure } from "./failure.ts";
import type { Reader } from "./reader.ts";

const numberPattern = /-?([0-9]+(\.[0-9]+)?)/y;
const largestInteger = 2n ** 63n - 1n;

/**
 * `true`, `false`, `null`; matches every text that starts with one of them, even `nullable`. `undefined` for other
 * text.
 */
export function readWord(reader: Reader): BooleanLiteral | NullLiteral | undefined {
  const start = reader.at;
  if (reader.take("true")) return { kind: "BooleanLiteral", value: true, span: reader.spanFrom(start) };
  if (reader.take("false")) return { kind: "BooleanLiteral", value: false, span: reader.spanFrom(start) };
  if (reader.take("null")) return { kind: "NullLiteral", span: reader.spanFrom(start) };
  return undefined;
}

/** `5`, `-5`, `5.0`. A minus without a digit fails after the minus, as in the reference. */
export function readNumber(reader: Reader): Parsed<IntegerLiteral | FloatLiteral> {
  const start = reader.at;
  numberPattern.lastIndex = start;
  const match = numberPattern.exec(reader.text);
  if (match === null) return missing(reader.sees("-") ? start + 1 : start, "number");
  const [text, digits = "", fraction] = match;
  reader.at = start + text.length;
  const span = reader.spanFrom(start);
  if (fraction === undefined) {
    const value = BigInt(text);
    if (BigInt(digits) > largestInteger) return outOfRange(reader, start, digits, "integer", "ParseInt");
    return { kind: "IntegerLiteral", value, span };
  }
  const value = Number(text);
  if (!Number.isFinite(value)) return outOfRange(reader, start, digits, "float", "ParseFloat");
  return { kind: "FloatLiteral", value, text, span };
}

/** `"""raw"""`; `undefined` for other text. A text shorter than six characters is read as two other strings. */
export function readRawString(reader: Reader): Parsed<StringLiteral> | undefined {
  const start = reader.at;
  if (!reader.sees('"""') || !hasSixCodePoints(reader.text, start)) return undefined;
  const end = reader.text.indexOf('"""', start + 3);
  if (end === -1) return unterminated(reader, start, "end triple-quote", '"""', reader.text.length);
  reader.at = end + 3;
  return {
    kind: "StringLiteral",
    value: reader.text.slice(start + 3, end),
    raw: true,
    span: reader.spanFrom(start),
  };
}

/** `"a\n"` */
export function readQuotedString(reader: Reader): Parsed<StringLiteral> {
  const start = reader.at;
  if (!reader.sees('"')) return missing(start, "quoted string");
  const { text } = reader;
  let end = start + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  if (end >= text.length) {
    const lineBreak = text.indexOf("\n", start);
    return unterminated(reader, start, "end quote", '"', lineBreak === -1 ? text.length : lineBreak);
  }
  const value = decodeString(text.slice(start + 1, end));
  if (typeof value !== "string")
    return badString(reader, start, start + 1 + value.start, start + 1 + value.end);
  reader.at = end + 1;
  return { kind: "StringLiteral", value, raw: false, span: reader.spanFrom(start) };
}

/** Reads `"any name"` as a name. */
export function readQuotedName(reader: Reader): Parsed<Name> {
  const literal = readQuotedString(reader);
  if (literal instanceof ParseFailure) return literal;
  return { kind: "Name", text: literal.value, quoted: true, span: literal.span };
}

function hasSixCodePoints(text: string, start: number): boolean {
  return [...text.slice(start, start + 12)].length >= 6;
}

function outOfRange(
  reader: Reader,
  start: number,
  digits: string,
  type: string,
  goFunction: string,
): ParseFailure {
  const text = `failed to parse '${digits}' as ${type}: strconv.${goFunction}: parsing "${digits}": value out of range`;
  return fatal(start, text, { code: "GW2005", start, end: reader.at, details: { digits, type } });
}

function unterminated(
  reader: Reader,
  start: number,
  wanted: string,
  quote: string,
  end: number,
): ParseFailure {
  const mistake = { code: "GW2002", start, end, details: { quote } } as const;
  return new ParseFailure(reader.text.length, [wanted], "required", mistake);
}

function badString(reader: Reader, quoteAt: number, start: number, end: number): ParseFailure {
  const text = "failed to unescape quoted string contents: invalid syntax";
  if (reader.text[start] === "\n") {
    return fatal(quoteAt, text, { code: "GW2004", start: quoteAt, end: start, details: {} });
  }
  const written = reader.text.slice(start, end);
  return fatal(quoteAt, text, { code: "GW2003", start, end, details: { escape: written } });
}
