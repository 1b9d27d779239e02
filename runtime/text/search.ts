// Searches strings in time linear in the sum of both lengths. The search of the JavaScript engine may take their
// product: seconds for a part such as `a…aba…a` of 128 kB in as many `a`. Short parts still use it, because their
// product is harmless.

import { bytewise, fromBytewise } from "./utf8.ts";

/** The longest part, in characters, that the JavaScript engine searches for. */
const shortPart = 64;

/**
 * Returns the index of the first occurrence of `part` in `text`, like `String.prototype.indexOf`; -1 if there is none.
 */
export function findText(text: string, part: string): number {
  if (part.length <= shortPart) return text.indexOf(part);
  const first = placesOf(text, part, part.length).next();
  return first.done === true ? -1 : first.value;
}

/**
 * Returns the pieces of `text` between occurrences of `separator`, which is not empty, like `String.prototype.split`. A
 * separator with bytes that are not UTF-8 also splits characters.
 */
export function splitText(text: string, separator: string): string[] {
  if (!separator.isWellFormed()) {
    return splitText(bytewise(text), bytewise(separator)).map(fromBytewise);
  }
  if (separator.length <= shortPart) return text.split(separator);
  const pieces: string[] = [];
  let begin = 0;
  for (const place of placesOf(text, separator, separator.length)) {
    pieces.push(text.slice(begin, place));
    begin = place + separator.length;
  }
  pieces.push(text.slice(begin));
  return pieces;
}

/** Whether the text contains the part, which may begin or end with a part of a character. */
export function hasText(text: string, part: string): boolean {
  return part.isWellFormed() ? findText(text, part) >= 0 : findText(bytewise(text), bytewise(part)) >= 0;
}

/** Yields every index at which `part`, which is not empty, begins in `text`, including overlapping occurrences. */
export function* overlappingPlaces(text: string, part: string): Generator<number, void> {
  if (part.length > shortPart) return yield* placesOf(text, part, 1);
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) yield at;
}

/**
 * The Knuth-Morris-Pratt algorithm. An occurrence begins at least `distance` characters after the previous one: 1, or
 * the length of the part.
 */
function* placesOf(text: string, part: string, distance: number): Generator<number, void> {
  if (part.length > text.length) return;
  const borders = bordersOf(part);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === unit) matched += 1;
    if (matched < part.length) continue;
    yield at + 1 - part.length;
    matched = distance === 1 ? (borders[matched - 1] ?? 0) : 0;
  }
}

/** Returns, for each prefix of `part`, the length of the longest shorter prefix that it ends with. */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length);
  let matched = 0;
  for (let at = 1; at < part.length; at++) {
    const unit = part.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === unit) matched += 1;
    borders[at] = matched;
  }
  return borders;
}
