// Parses and prints JSON, and keeps what JavaScript's own JSON would lose.
import { asBuffer, decodeUtf8, encodeUtf8 } from "../text/utf8.ts";
import { encodeJson } from "./json-bytes.ts";
import { jsonFault } from "./json-fault.ts";
import { quoteJson } from "./json-print.ts";
import { isSpecial, isSpecialFraction } from "./number-text.ts";
import { isArray, isObject, SourceNumber, type Value } from "./value.ts";

/** Matches a number with an exponent, such as `1e5` or `2.5E-3`, at a place where a number can end. */
const exponent = /[0-9][eE][-+]?[0-9]+[\s,}\]]/;

/**
 * Matches all numbers that have to keep their text, and some more, at places where a value can stand: those with a
 * padded fraction, an exponent, many digits or a very small value, and negative zero.
 */
const candidates =
  /(^|[\s:,[])(-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*0|(?:\.[0-9]+)?[eE][-+]?[0-9]+|\.[0-9]{9,})|[1-9][0-9]{15,}|[1-9][0-9]{6,}\.[0-9]+|0\.000[0-9]+)|-0)(?=\s*(?:[,}\]]|$))/g;

const backslash = 0x5c;

const quote = 0x22;

/**
 * Whether the text may contain a number that has to keep its text. The check is cheap and errs on the safe side: it may
 * return true because a string looks like such a number, but never returns false if there is one.
 */
function hasSpecialNumbers(text: string): boolean {
  const first = text.charCodeAt(0);
  // A document that is only a number has no brackets and commas, which the searches below rely on.
  if (first !== 0x7b && first !== 0x5b) return true;
  return hasLongDigits(text) || findFraction(text, 0) >= 0 || exponent.test(text) || hasNegativeZero(text);
}

/** Whether no other numbers than fractions may have to keep their text, such as prices. */
function hasOnlyFractions(text: string): boolean {
  const first = text.charCodeAt(0);
  return (
    (first === 0x7b || first === 0x5b) &&
    !(hasLongDigits(text) || exponent.test(text) || hasNegativeZero(text))
  );
}

/** Parses a valid text exactly. Throws a `SyntaxError` if the text is not JSON. */
function parseExactly(text: string): Value {
  const marker = unusedCharacter(text);
  try {
    const marked = hasOnlyFractions(text)
      ? markFractions(text, marker)
      : text.replace(candidates, `$1"${marker}$2"`);
    return parseMarked(marked, marker);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Either a string contained what looks like a number, and the marker broke it, or the text is not JSON.
    return parseMarked(markSpecialNumbers(text, marker), marker);
  }
}

function parseMarked(marked: string, marker: string): Value {
  const value: Value = JSON.parse(marked);
  return typeof value === "string" && value.startsWith(marker)
    ? numberOf(value.slice(1))
    : restoreNumbers(value, marker);
}

/** Whether the text has sixteen digits of an integer in a row. Looking at every sixteenth character finds them. */
function hasLongDigits(text: string): boolean {
  for (let at = 15; at < text.length; at += 16) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let start = at;
    while (isDigit(text.charCodeAt(start - 1))) start--;
    let end = at + 1;
    while (isDigit(text.charCodeAt(end))) end++;
    // Digits behind a point are those of a fraction.
    if (end - start >= 16 && text.charCodeAt(start - 1) !== 0x2e) return true;
    // Past all digits of a long fraction, which would be looked at from each place again.
    at = end;
  }
  return false;
}

/**
 * Returns the position of the next point, from a position on, of a fraction that ends in a zero, has an exponent or more
 * digits than JavaScript keeps, or belongs to a number so large or small that its computed text would have an exponent;
 * -1 without one.
 */
function findFraction(text: string, from: number): number {
  for (let dot = text.indexOf(".", from); dot >= 0; dot = text.indexOf(".", dot + 1)) {
    if (!isDigit(text.charCodeAt(dot - 1)) || !isDigit(text.charCodeAt(dot + 1))) continue;
    let end = dot + 2;
    while (isDigit(text.charCodeAt(end))) end++;
    const last = text.charCodeAt(end - 1);
    const next = text.charCodeAt(end);
    if (last === 0x30 || next === 0x65 || next === 0x45) return dot;
    let start = dot - 1;
    while (isDigit(text.charCodeAt(start - 1))) start--;
    // A computed fraction, such as 0.30000000000000004, has the same text as a JavaScript number.
    if (isSpecialFraction(text, start, dot, end)) return dot;
  }
  return -1;
}

/**
 * Returns the text with each such fraction, at a place where a value can stand, turned into a string that starts with
 * `marker`: what `candidates` does for all numbers, in a fraction of the time.
 */
function markFractions(text: string, marker: string): string {
  let marked = "";
  let copied = 0;
  let end = 0;
  for (let dot = findFraction(text, 0); dot >= 0; dot = findFraction(text, end)) {
    let start = dot - 1;
    while (isDigit(text.charCodeAt(start - 1))) start--;
    const hasPadding = text.charCodeAt(start) === 0x30 && start < dot - 1;
    if (text.charCodeAt(start - 1) === 0x2d) start--;
    end = dot + 2;
    while (isDigit(text.charCodeAt(end))) end++;
    if (hasPadding || !opensValue(text.charCodeAt(start - 1)) || !isValueEnd(text, end)) continue;
    marked += `${text.slice(copied, start)}"${marker}${text.slice(start, end)}"`;
    copied = end;
  }
  return marked + text.slice(copied);
}

/** Whether a value can follow a character: white space, a colon, a comma or an opening bracket. */
function opensValue(code: number): boolean {
  return code === 0x3a || code === 0x2c || code === 0x5b || isWhiteSpace(code);
}

/** Whether a value can end at a position: a comma or a closing bracket follows. */
function isValueEnd(text: string, end: number): boolean {
  let at = end;
  while (isWhiteSpace(text.charCodeAt(at))) at++;
  const code = text.charCodeAt(at);
  return code === 0x2c || code === 0x7d || code === 0x5d;
}

function isWhiteSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

function hasNegativeZero(text: string): boolean {
  for (let at = text.indexOf("-0"); at >= 0; at = text.indexOf("-0", at + 2)) {
    if (opensValue(text.charCodeAt(at - 1)) && isValueEnd(text, at + 2)) return true;
  }
  return false;
}

/** Returns a character that does not occur in the text, neither literally nor as an escape. */
function unusedCharacter(text: string): string {
  const escapes = text.includes("\\u") ? text.toLowerCase() : undefined;
  // From U+007F on: rare characters that still let the engine store the text with one byte for each character.
  for (let code = 0x7f; code <= 0xff; code++) {
    const character = String.fromCharCode(code);
    if (!text.includes(character) && escapes?.includes(escapeOf(code)) !== true) return character;
  }
  // A text that has all of these may have any number of other characters: look for all of them in one pass.
  const used = new Uint8Array(0x10000);
  for (let at = 0; at < text.length; at++) used[text.charCodeAt(at)] = 1;
  for (const [, digits = ""] of (escapes ?? "").matchAll(/\\u([0-9a-f]{4})/g))
    used[Number.parseInt(digits, 16)] = 1;
  return String.fromCharCode(used.indexOf(0, 0x100));
}

function escapeOf(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}

/** Returns the text with each special number turned into a string that starts with `marker`. */
function markSpecialNumbers(text: string, marker: string): string {
  let marked = "";
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = closingQuote(text, at);
    } else if (code === 0x2d || isDigit(code)) {
      const end = numberEnd(text, at);
      const token = text.slice(at, end);
      // A number in the place of a key is invalid JSON. Do not make it valid by turning it into a string.
      if (isSpecial(token) && !colonFollows(text, end)) {
        marked += `${text.slice(copied, at)}"${marker}${token}"`;
        copied = end;
      }
      at = end - 1;
    }
  }
  return marked + text.slice(copied);
}

function closingQuote(text: string, opening: number): number {
  for (let at = text.indexOf('"', opening + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

function numberEnd(text: string, start: number): number {
  let end = start + 1;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    // Digits, `+`, `-`, `.`, `e`, `E`.
    if (!isDigit(code) && code !== 0x2b && code !== 0x2d && code !== 0x2e && (code | 0x20) !== 0x65) break;
  }
  return end;
}

function colonFollows(text: string, end: number): boolean {
  let at = end;
  while (/\s/.test(text.charAt(at))) at++;
  return text.charAt(at) === ":";
}

/** Returns the value of a marked number. */
function numberOf(token: string): Value {
  // A fraction padded to two digits, common in prices, needs no further check.
  const padded = token.endsWith("0") && token.charCodeAt(token.length - 3) === 0x2e;
  return padded || isSpecial(token) ? new SourceNumber(token) : Number(token);
}

/** Replaces marked strings by their numbers, in place and with an explicit stack. The value must not be shared. */
function restoreNumbers(root: Value, marker: string): Value {
  const pending: Value[] = [root];
  const mark = marker.charCodeAt(0);
  const restored = (child: Value): Value => {
    if (typeof child === "string") return child.charCodeAt(0) === mark ? numberOf(child.slice(1)) : child;
    if (typeof child === "object" && child !== null) pending.push(child);
    return child;
  };
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (isArray(next)) restoreElements(next as Value[], restored);
    else if (isObject(next)) restoreFields(next as Record<string, Value>, restored);
  }
  return root;
}

function restoreElements(elements: Value[], restored: (child: Value) => Value): void {
  for (let index = 0; index < elements.length; index++) {
    const child = elements[index] ?? null;
    const value = restored(child);
    if (value !== child) elements[index] = value;
  }
}

function restoreFields(object: Record<string, Value>, restored: (child: Value) => Value): void {
  for (const key of Object.keys(object)) {
    const child = object[key] ?? null;
    const value = restored(child);
    // The key already is an own property, so assigning is safe even for `__proto__`.
    if (value !== child) object[key] = value;
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** The result of parsing JSON: the value, or the reason why there is none. */
export type ParsedJson = { readonly value: Value } | { readonly reason: string };

const surrogateEscape = /\\u[dD][89a-fA-F]/;

/** Parses a whole JSON text. Numbers whose text JavaScript would change become `SourceNumber`. */
export function parseJson(bytes: Uint8Array): ParsedJson {
  if (bytes.length === 0) return { reason: "message is empty" };
  const buffer = asBuffer(bytes);
  // `toString()` without an argument takes a faster path in Node.
  return parseJsonText(buffer.toString(), buffer);
}

/** Parses text like `parseJson`. `bytes`: the bytes that the text was decoded from, used to explain a fault. */
export function parseJsonText(text: string, bytes?: Uint8Array): ParsedJson {
  try {
    const value: Value = hasSpecialNumbers(text) ? parseExactly(text) : JSON.parse(text);
    return { value: hasSurrogateEscapes(text) ? withoutLoneSurrogates(value) : value };
  } catch (error) {
    if (error instanceof SyntaxError)
      return { reason: `parse as json: ${jsonFault(bytes ?? encodeUtf8(text))}` };
    throw error;
  }
}

function hasSurrogateEscapes(text: string): boolean {
  return text.includes("\\u") && surrogateEscape.test(text);
}

/**
 * Returns compact JSON with keys sorted by their UTF-8 bytes. If the value contains a NaN or an infinity, the result is
 * empty, as in the reference engine.
 */
export function printJson(value: Value): string {
  return typeof value === "string" ? quoteJson(value) : decodeUtf8(encodeJson(value));
}

/** Returns the JSON text with `<`, `>` and `&` escaped. */
export function escapeHtmlCharacters(json: string): string {
  return json.replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

/**
 * Replaces lone surrogates, which were written as escapes, by U+FFFD: in strings of the runtime, a lone surrogate
 * stands for a byte.
 */
function withoutLoneSurrogates(value: Value): Value {
  if (typeof value === "string") return value.toWellFormed();
  if (isArray(value)) return value.map(withoutLoneSurrogates);
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, child]) => [key.toWellFormed(), withoutLoneSurrogates(child)]),
  );
}
