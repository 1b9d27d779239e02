// Numbers of a JSON text that JavaScript would not print back as they were written.

import { isArray, isObject, SourceNumber, type Value } from "./value.ts";

/** `1e5`, `2.5E-3` in a place where a number can end. */
const exponent = /[0-9][eE][-+]?[0-9]+[\s,}\]]/;
const validNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;
const backslash = 0x5c;
const quote = 0x22;

/**
 * Whether the text may hold a number that has to keep its text. Cheap and on the safe side: true where a
 * string merely looks like one, never false where there is one.
 */
export function hasSpecialNumbers(text: string): boolean {
  const first = text.charCodeAt(0);
  // A document that is a number alone lacks the brackets and commas the searches below go by.
  if (first !== 0x7b && first !== 0x5b) return true;
  return hasLongDigits(text) || hasSpecialFraction(text) || exponent.test(text) || hasNegativeZero(text);
}

/** Parses a valid text exactly; throws a `SyntaxError` for any other. */
export function parseExactly(text: string): Value {
  const marker = unusedCharacter(text);
  const value: Value = JSON.parse(markSpecialNumbers(text, marker));
  return typeof value === "string" && value.startsWith(marker)
    ? new SourceNumber(value.slice(1))
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
    if (text.startsWith("0.000", dot - 1)) return true;
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
  for (let code = 0x7f; ; code++) {
    const character = String.fromCharCode(code);
    const written = `\\u${code.toString(16).padStart(4, "0")}`;
    if (!text.includes(character) && !escapes.includes(written)) return character;
  }
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
      if (isSpecial(token)) {
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

/** Whether a number's text says more than the JavaScript number does; false for what is no number. */
function isSpecial(token: string): boolean {
  const value = Number(token);
  if (Number.isSafeInteger(value)) return String(value) !== token && validNumber.test(token);
  const magnitude = Math.abs(value);
  const plain = magnitude >= 1e-4 && magnitude < 1e6 && !Number.isInteger(value) && String(value) === token;
  return !plain && validNumber.test(token);
}

/** Puts the numbers back in place, in a value nobody else has seen; deep nesting is no danger to it. */
function restoreNumbers(root: Value, marker: string): Value {
  const pending: Value[] = [root];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const container = mutable(next);
    if (container === undefined) continue;
    for (const key of Object.keys(container)) {
      const child = container[key];
      if (typeof child === "string" && child.startsWith(marker)) {
        container[key] = new SourceNumber(child.slice(1));
      } else if (typeof child === "object" && child !== null) {
        pending.push(child);
      }
    }
  }
  return root;
}

/** An array or object just parsed, to be written to by key. */
function mutable(value: Value): Record<string, Value> | undefined {
  return isArray(value) || isObject(value) ? (value as Record<string, Value>) : undefined;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
