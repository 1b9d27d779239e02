// Methods on text. If the target is bytes, the result is bytes as well.

import { MappingError } from "../errors.ts";
import { isArray, type Value } from "../message/value.ts";
import { unicodePattern } from "../text/memo.ts";
import { findText, splitText } from "../text/search.ts";
import { blanks, trimmed } from "../text/trim.ts";
import { bytewise, encodeUtf8, fromBytewise, utf8Length } from "../text/utf8.ts";
import {
  arrayArgument,
  arrayTarget,
  boolArgument,
  integerArgument,
  textArgument,
  textTarget,
} from "./arguments.ts";
import { failedOn, wrongType } from "./failures.ts";
import { nativeTypeName } from "./kinds.ts";
import { equalTo } from "./operators.ts";
import { mostBytes, refuseLarger } from "./size-limits.ts";
import { nativeText, textOf } from "./text.ts";

const cased = /* @__PURE__ */ unicodePattern("[\\p{Lu}\\p{Ll}\\p{Lt}]");
const ascii = /^[ -~\s]*$/;
/** Matches a capital sigma at the end of a word, whose lowercase form differs. */
const finalSigma = /* @__PURE__ */ unicodePattern("Σ(?!\\p{Case_Ignorable}*\\p{Cased})", "gu");
const upperCase = /* @__PURE__ */ unicodePattern("\\p{Lu}");
let words: Intl.Segmenter | undefined;

/** `.uppercase()`: maps each character to a single one, so that `ß` stays. */
export function uppercase(target: Value, from: string): Value {
  return changed(target, from, (text) => uppercased(text.toWellFormed()));
}

/** `.lowercase()` */
export function lowercase(target: Value, from: string): Value {
  return changed(target, from, (text) => lowercased(text.toWellFormed()));
}

/** `.capitalize()` */
export function capitalize(target: Value, from: string): Value {
  return changed(target, from, (text) => {
    words ??= new Intl.Segmenter("en", { granularity: "word" });
    return Array.from(words.segment(text), (part) => capitalizeWord(part.segment)).join("");
  });
}

/** `.trim(cutset)` */
export function trim(target: Value, from: string, cutset?: Value): Value {
  if (cutset === undefined) return changed(target, from, (text) => trimmed(text, blanks));
  const cut = new Set(textArgument("method 'trim'", "cutset", cutset).toWellFormed());
  // All bytes that are not UTF-8 count as the same character.
  const isKept = (character: string) => !cut.has(character.toWellFormed());
  return changed(target, from, (text) => {
    const characters = [...text];
    const first = characters.findIndex(isKept);
    const last = characters.findLastIndex(isKept);
    return first < 0 ? "" : characters.slice(first, last + 1).join("");
  });
}

/** `.trim_prefix(prefix)` */
export function trimPrefix(target: Value, from: string, prefix: Value): Value {
  const start = textArgument("method 'trim_prefix'", "prefix", prefix);
  return changed(target, from, (text) => {
    if (start.isWellFormed()) return text.startsWith(start) ? text.slice(start.length) : text;
    const bytes = bytewise(text);
    return bytes.startsWith(bytewise(start)) ? fromBytewise(bytes.slice(utf8Length(start))) : text;
  });
}

/** `.trim_suffix(suffix)` */
export function trimSuffix(target: Value, from: string, suffix: Value): Value {
  const end = textArgument("method 'trim_suffix'", "suffix", suffix);
  return changed(target, from, (text) => {
    if (end.isWellFormed()) return text.endsWith(end) ? text.slice(0, text.length - end.length) : text;
    const bytes = bytewise(text);
    return bytes.endsWith(bytewise(end))
      ? fromBytewise(bytes.slice(0, bytes.length - utf8Length(end)))
      : text;
  });
}

/** `.has_prefix(value)` */
export function hasPrefix(target: Value, from: string, value: Value): boolean {
  const start = textArgument("method 'has_prefix'", "value", value);
  const text = textTarget(target, from);
  return start.isWellFormed() ? text.startsWith(start) : bytewise(text).startsWith(bytewise(start));
}

/** `.has_suffix(value)` */
export function hasSuffix(target: Value, from: string, value: Value): boolean {
  const end = textArgument("method 'has_suffix'", "value", value);
  const text = textTarget(target, from);
  return end.isWellFormed() ? text.endsWith(end) : bytewise(text).endsWith(bytewise(end));
}

/** `.index_of(value)`: counts bytes. */
export function indexOf(target: Value, from: string, value: Value): number {
  const search = textArgument("method 'index_of'", "value", value);
  const text = textTarget(target, from);
  if (!search.isWellFormed()) return findText(bytewise(text), bytewise(search));
  const at = findText(text, search);
  return at <= 0 ? at : utf8Length(text.slice(0, at));
}

/**
 * `.split(delimiter, empty_as_null)`: splits text by a text, or an array by the elements equal to the delimiter. Empty
 * parts of text can become null.
 */
export function split(target: Value, from: string, delimiter: Value, emptyAsNull?: Value): readonly Value[] {
  if (isArray(target)) return splitArray(target, delimiter);
  if (typeof target !== "string" && !(target instanceof Uint8Array)) {
    throw wrongType(from, ["string", "array", "bytes"], target);
  }
  if (typeof delimiter !== "string") {
    const types = `${nativeTypeName(delimiter)} must match type of list elements: ${nativeTypeName(target)}`;
    throw failedOn(from, `delimiter type: ${types}`);
  }
  const text = textOf(target);
  const parts = delimiter === "" ? [...text] : splitText(text, delimiter);
  const nulls = emptyAsNull !== undefined && boolArgument("method 'split'", "empty_as_null", emptyAsNull);
  const encode = (part: string) => (typeof target === "string" ? part : encodeUtf8(part));
  return nulls ? parts.map((part) => (part === "" ? null : encode(part))) : parts.map(encode);
}

/** `.join(delimiter)` */
export function join(target: Value, from: string, delimiter?: Value): string {
  const separator = delimiter === undefined ? "" : textArgument("method 'join'", "delimiter", delimiter);
  const parts = arrayTarget(target, from).map((element, index) => {
    if (typeof element === "string") return element;
    if (element instanceof Uint8Array) return textOf(element);
    throw failedOn(from, `failed to join element ${index}: ${wrongType("", ["string"], element).message}`);
  });
  return parts.join(separator);
}

/** `.replace_all(old, new)` */
export function replaceAll(target: Value, from: string, old: Value, fresh: Value): Value {
  return replaced("method 'replace_all'", target, from, old, fresh);
}

/** `.replace(old, new)`: the former name of `replace_all`. */
export function replace(target: Value, from: string, old: Value, fresh: Value): Value {
  return replaced("method 'replace'", target, from, old, fresh);
}

function replaced(call: string, target: Value, from: string, old: Value, fresh: Value): Value {
  const search = textArgument(call, "old", old);
  const replacement = textArgument(call, "new", fresh);
  return changed(target, from, (text) => replacedText(text, search, replacement));
}

/** `.replace_all_many([old, new, …])`: replaces one pair after the other. */
export function replaceAllMany(target: Value, from: string, values: Value): Value {
  return replacedMany("method 'replace_all_many'", target, from, values);
}

/** `.replace_many([old, new, …])`: the former name of `replace_all_many`. */
export function replaceMany(target: Value, from: string, values: Value): Value {
  return replacedMany("method 'replace_many'", target, from, values);
}

function replacedMany(call: string, target: Value, from: string, values: Value): Value {
  const texts = replacementTexts(arrayArgument(call, "values", values));
  return changed(target, from, (text) => {
    let result = text;
    for (let index = 0; index < texts.length; index += 2)
      result = replacedText(result, texts[index] ?? "", texts[index + 1] ?? "");
    return result;
  });
}

/** Replaces text. An empty `old` matches between all characters. */
function replacedText(text: string, old: string, fresh: string): string {
  return old === "" ? text.replace(/(?:)/gu, () => fresh) : splitText(text, old).join(fresh);
}

/** Returns the texts of the pairs. If their number is odd, the error shows all values. */
function replacementTexts(values: readonly Value[]): readonly string[] {
  if (values.length % 2 !== 0) {
    const reason = "invalid arg, replacements should be in pairs and must therefore be even";
    throw new MappingError(`${reason}: ${nativeText(values)}`);
  }
  return values.map((value, index) => {
    if (typeof value === "string" || value instanceof Uint8Array) return textOf(value);
    throw new MappingError(
      `invalid replacement value at index ${index}: ${wrongType("", ["string"], value).message}`,
    );
  });
}

/** `.reverse()`: reverses the characters of a text, or bytes. */
export function reverse(target: Value, from: string): Value {
  if (target instanceof Uint8Array) return target.toReversed();
  return changed(target, from, (text) => [...text.toWellFormed()].reverse().join(""));
}

/** `.repeat(count)`: a negative count returns an empty text. */
export function repeat(target: Value, from: string, count: Value): Value {
  const times = Math.max(0, integerArgument("method 'repeat'", "count", count));
  return changed(target, from, (text) => {
    refuseLarger("repeat", text.length * times, mostBytes);
    return text.repeat(times);
  });
}

function changed(target: Value, from: string, change: (text: string) => string): Value {
  const result = change(textTarget(target, from));
  return typeof target === "string" ? result : encodeUtf8(result);
}

/** Maps each code point to a single one. If a mapping would return more, the code point stays unchanged. */
function mapCharacters(text: string, map: (character: string) => string): string {
  if (ascii.test(text)) return map(text);
  let result = "";
  for (const character of text) {
    const mapped = map(character);
    result += [...mapped].length === 1 ? mapped : character;
  }
  return result;
}

/**
 * Returns a word with its first cased letter in title case, which may differ from upper case (`ǆ`), and the rest in
 * lower case.
 */
function capitalizeWord(word: string): string {
  const characters = [...word];
  const first = characters.findIndex((character) => cased().test(character));
  if (first < 0) return word;
  const rest = characters.slice(first + 1).join("");
  return `${characters.slice(0, first).join("")}${titled(characters[first] ?? "")}${rest.replace(finalSigma(), "ς").toLowerCase()}`;
}

/**
 * Returns a letter in title case, which JavaScript does not support. If a letter has several capitals, only the first
 * one stays upper case (`Ss` for `ß`). An iota below a Greek letter stays below it, and Georgian letters stay
 * unchanged.
 */
function titled(letter: string): string {
  if (/[\u10d0-\u10ff]/.test(letter)) return letter;
  const upper = letter.toUpperCase();
  if (digraphs.has(upper)) return String.fromCharCode(upper.charCodeAt(0) + 1);
  if (upper.length > 1 && upper.endsWith("\u0399")) return `${upper.slice(0, -1)}\u0345`.normalize();
  const first = upper.search(upperCase()) + 1;
  return upper.slice(0, first) + upper.slice(first).toLowerCase();
}

/** Capital digraphs in one character. The next code point of each is its title case. */
const digraphs: ReadonlySet<string> = /* @__PURE__ */ new Set(["\u01c4", "\u01c7", "\u01ca", "\u01f1"]);

/** Greek letters with an iota below have a single capital here. JavaScript returns two for them. */
function uppercased(text: string): string {
  return mapCharacters(text, (part) => (greekWithIota.test(part) ? titled(part) : part.toUpperCase()));
}

const greekWithIota = /[\u1f80-\u1faf\u1fb3\u1fc3\u1ff3]/;

/** `İ`, the only letter that JavaScript maps to two, has the single lowercase letter `i` in the reference engine. */
function lowercased(text: string): string {
  return mapCharacters(text, (part) => (part === "\u0130" ? "i" : part.toLowerCase()));
}

function splitArray(elements: readonly Value[], delimiter: Value): readonly Value[] {
  const parts: Value[][] = [[]];
  const isDelimiter = equalTo(delimiter);
  for (const element of elements) {
    if (isDelimiter(element)) parts.push([]);
    else parts.at(-1)?.push(element);
  }
  return parts;
}
