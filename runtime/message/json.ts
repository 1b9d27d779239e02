// JSON in and out, keeping what JavaScript's own JSON would lose.
import { asBuffer, decodeUtf8, encodeUtf8 } from "../text/utf8.ts";
import { encodeJson } from "./json-bytes.ts";
import { jsonFault } from "./json-fault.ts";
import { quoteJson } from "./json-print.ts";
import { isArray, isObject, SourceNumber, type Value } from "./value.ts";

/** `1e5`, `2.5E-3` in a place where a number can end. */
const exponent = /[0-9][eE][-+]?[0-9]+[\s,}\]]/;

/**
 * Numbers that have to keep their text, and some more, where a value can stand: with a padded fraction, an
 * exponent, many digits, very small, or a negative zero.
 */
const candidates =
  /(^|[\s:,[])(-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*0|(?:\.[0-9]+)?[eE][-+]?[0-9]+|\.[0-9]{9,})|[1-9][0-9]{15,}|[1-9][0-9]{6,}\.[0-9]+|0\.000[0-9]+)|-0)(?=\s*(?:[,}\]]|$))/g;

const validNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;

const backslash = 0x5c;

const quote = 0x22;

/**
 * Whether the text may hold a number that has to keep its text. Cheap and on the safe side: true where a
 * string merely looks like one, never false where there is one.
 */
function hasSpecialNumbers(text: string): boolean {
  const first = text.charCodeAt(0);
  // A document that is a number alone lacks the brackets and commas the searches below go by.
  if (first !== 0x7b && first !== 0x5b) return true;
  return hasLongDigits(text) || hasSpecialFraction(text) || exponent.test(text) || hasNegativeZero(text);
}

/** Parses a valid text exactly; throws a `SyntaxError` for any other. */
function parseExactly(text: string): Value {
  const marker = unusedCharacter(text);
  try {
    return parseMarked(text.replace(candidates, `$1"${marker}$2"`), marker);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // A string held what looks like a number, and marking it broke the string; or the text is not JSON.
    return parseMarked(markSpecialNumbers(text, marker), marker);
  }
}

function parseMarked(marked: string, marker: string): Value {
  const value: Value = JSON.parse(marked);
  return typeof value === "string" && value.startsWith(marker)
    ? numberOf(value.slice(1))
    : restoreNumbers(value, marker);
}

/** Sixteen digits in a row: one of each sixteen characters is enough to look at. */
function hasLongDigits(text: string): boolean {
  for (let at = 15; at < text.length; at += 16) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let start = at;
    while (isDigit(text.charCodeAt(start - 1))) start--;
    let end = at + 1;
    while (isDigit(text.charCodeAt(end))) end++;
    if (end - start >= 16) return true;
  }
  return false;
}

/**
 * A fraction that ends in a zero, has many digits or an exponent, or belongs to a number so large or small
 * that the text form of computed numbers would use an exponent.
 */
function hasSpecialFraction(text: string): boolean {
  for (let dot = text.indexOf("."); dot >= 0; dot = text.indexOf(".", dot + 1)) {
    if (!isDigit(text.charCodeAt(dot - 1)) || !isDigit(text.charCodeAt(dot + 1))) continue;
    let end = dot + 2;
    while (isDigit(text.charCodeAt(end))) end++;
    const last = text.charCodeAt(end - 1);
    const next = text.charCodeAt(end);
    if (last === 0x30 || next === 0x65 || next === 0x45 || end - dot > 9) return true;
    if (text.charCodeAt(dot + 1) === 0x30 && text.startsWith("0.000", dot - 1)) return true;
    let start = dot - 1;
    while (isDigit(text.charCodeAt(start - 1))) start--;
    if (dot - start > 6) return true;
  }
  return false;
}

function hasNegativeZero(text: string): boolean {
  for (let at = text.indexOf("-0"); at >= 0; at = text.indexOf("-0", at + 2)) {
    if (!isDigit(text.charCodeAt(at - 1)) && text.charCodeAt(at + 2) !== 0x2e) return true;
  }
  return false;
}

/** A character that stands nowhere in the text, neither itself nor as an escape. */
function unusedCharacter(text: string): string {
  const escapes = text.includes("\\u") ? text.toLowerCase() : "";
  // From U+007F on: rare characters that do not yet make the text one of two bytes a character.
  for (let code = 0x7f; code <= 0xff; code++) {
    const character = String.fromCharCode(code);
    if (!text.includes(character) && !escapes.includes(escapeOf(code))) return character;
  }
  // A text that has all of them may have any number of others, so all are looked for at once.
  const used = new Uint8Array(0x10000);
  for (let at = 0; at < text.length; at++) used[text.charCodeAt(at)] = 1;
  for (const [, digits = ""] of escapes.matchAll(/\\u([0-9a-f]{4})/g)) used[Number.parseInt(digits, 16)] = 1;
  return String.fromCharCode(used.indexOf(0, 0x100));
}

function escapeOf(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}

/** The text with each special number turned into a string that starts with `marker`. */
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
      // Turned into a string, a number in the place of a key would be a valid one.
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

/** Whether a number's text says more than the JavaScript number does; false for what is not a number. */
function isSpecial(token: string): boolean {
  const value = Number(token);
  if (Number.isSafeInteger(value)) return String(value) !== token && validNumber.test(token);
  const magnitude = Math.abs(value);
  const plain = magnitude >= 1e-4 && magnitude < 1e6 && !Number.isInteger(value) && String(value) === token;
  return !plain && validNumber.test(token);
}

/** The value of a number that a candidate or a special one is. */
function numberOf(token: string): Value {
  // A padded fraction, as of prices, needs no further look.
  const padded = token.endsWith("0") && token.charCodeAt(token.length - 3) === 0x2e;
  return padded || isSpecial(token) ? new SourceNumber(token) : Number(token);
}

/** Puts the numbers back in place, in a value without other references; deep nesting is no danger to it. */
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
    // Whatever the key is called, this is an own property that is there already.
    if (value !== child) object[key] = value;
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** What a text is as JSON: its value, or why it has none. */
export type ParsedJson = { readonly value: Value } | { readonly reason: string };

const surrogateEscape = /\\u[dD][89a-fA-F]/;

/** Parses a whole JSON text; numbers whose text JavaScript would change become `SourceNumber`. */
export function parseJson(bytes: Uint8Array): ParsedJson {
  if (bytes.length === 0) return { reason: "message is empty" };
  const buffer = asBuffer(bytes);
  // Without an argument Node takes a shorter way to the same text.
  return parseJsonText(buffer.toString(), buffer);
}

/** As `parseJson`, for text; `bytes` are those that it was decoded from, for its fault. */
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

/** Whether `JSON.parse` makes of a JSON text what `parseJsonText` does. */
export function isPlainJson(text: string): boolean {
  return !hasSpecialNumbers(text) && !hasSurrogateEscapes(text);
}

function hasSurrogateEscapes(text: string): boolean {
  return text.includes("\\u") && surrogateEscape.test(text);
}

/**
 * Compact JSON with keys sorted by their UTF-8 bytes. A NaN or an infinity anywhere makes all of it the
 * empty text, as in the reference.
 */
export function printJson(value: Value): string {
  return typeof value === "string" ? quoteJson(value) : decodeUtf8(encodeJson(value));
}

/** The JSON text with `<`, `>` and `&` written as escapes. */
export function escapeHtmlCharacters(json: string): string {
  return json.replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

/** Half a surrogate pair written as an escape reads as U+FFFD; left alone it would stand for a byte here. */
function withoutLoneSurrogates(value: Value): Value {
  if (typeof value === "string") return value.toWellFormed();
  if (isArray(value)) return value.map(withoutLoneSurrogates);
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, child]) => [key.toWellFormed(), withoutLoneSurrogates(child)]),
  );
}
