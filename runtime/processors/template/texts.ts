// Functions on texts. Positions and widths count bytes.

import { mostBytes, refuseLarger } from "../../mapping/size-limits.ts";
import {
  hasPrefix as beginsWith,
  hasSuffix as endsWith,
  lowercase,
  replaceAll,
  trim as trimmed,
  uppercase,
  trimPrefix as withoutPrefix,
  trimSuffix as withoutSuffix,
} from "../../mapping/strings.ts";
import { unicodePattern } from "../../text/memo.ts";
import { quoteText } from "../../text/quoting.ts";
import { splitText } from "../../text/search.ts";
import { bytewise, compareUtf8, fromBytewise, utf8Length } from "../../text/utf8.ts";
import { spend, spendOnLength } from "../jq/run.ts";
import { toText } from "./casts.ts";
import { printed } from "./print.ts";
import { Dict, failure, itemsOf, List, type TemplateValue } from "./values.ts";

const letter = /* @__PURE__ */ unicodePattern("[\\p{L}\\p{Nd}]");
const space = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** Returns a part of a text by bytes. Throws if it is outside of the text. */
function part(text: string, start: number, end: number): string {
  const length = utf8Length(text);
  if (start < 0 || end > length || start > end)
    throw failure(`positions ${start} to ${end} are outside of the text, which has ${length} bytes`);
  return length === text.length ? text.slice(start, end) : fromBytewise(bytewise(text).slice(start, end));
}

export function hello(): string {
  return "Hello!";
}

export function abbrev(width: number, text: string): string {
  return width < 4 ? text : abbreviated(text, 0, width);
}

export function abbrevBoth(offset: number, width: number, text: string): string {
  return width < 4 || (offset > 0 && width < 7) ? text : abbreviated(text, offset, width);
}

/** Returns at most `width` bytes of a text from `offset` on, with dots where something is left out. */
function abbreviated(text: string, offset: number, width: number): string {
  const length = utf8Length(text);
  if (length <= width) return text;
  const room = width - 3;
  let from = Math.min(offset, length);
  if (length - from < room) from = length - room;
  if (from <= 4) return `${part(text, 0, room)}...`;
  if (width < 7) return "";
  if (from + room >= length) return `...${part(text, length - room, length)}`;
  return `...${room < 4 ? "" : abbreviated(part(text, from, length), 0, room)}`;
}

export function trunc(count: number, text: string): string {
  const length = utf8Length(text);
  if (count < 0) return length + count > 0 ? part(text, length + count, length) : text;
  return length > count ? part(text, 0, count) : text;
}

export function substr(start: number, end: number, text: string): string {
  if (start < 0) return part(text, 0, end);
  const length = utf8Length(text);
  return part(text, start, end < 0 || end > length ? length : end);
}

export function trim(text: string): string {
  return String(trimmed(text, ""));
}

export function upper(text: string): string {
  return String(uppercase(text, ""));
}

export function lower(text: string): string {
  return String(lowercase(text, ""));
}

/** Begins each word with a capital. */
export function title(text: string): string {
  spend(text.length);
  let isNext = true;
  return Array.from(text, (character) => {
    const titled = isNext ? upper(character) : character;
    isNext = character <= "\x7f" ? !/\w/.test(character) : !letter().test(character) && space.test(character);
    return titled;
  }).join("");
}

/** Begins each word with a small letter. */
export function untitle(text: string): string {
  spend(text.length);
  let isNext = true;
  return Array.from(text, (character) => {
    if (space.test(character)) {
      isNext = true;
      return character;
    }
    const changed = isNext ? lower(character) : character;
    isNext = false;
    return changed;
  }).join("");
}

export function repeat(count: number, text: string): string {
  if (count < 0) throw failure("the count of `repeat` is negative");
  refuseLarger("repeat", text.length * count, mostBytes);
  spendOnLength(text.length * count);
  return text.repeat(count);
}

export function trimAll(cutset: string, text: string): string {
  return String(trimmed(text, "", cutset));
}

export function trimSuffix(suffix: string, text: string): string {
  return String(withoutSuffix(text, "", suffix));
}

export function trimPrefix(prefix: string, text: string): string {
  return String(withoutPrefix(text, "", prefix));
}

/** Removes white space. Bytes beyond ASCII become characters if there is any, as in the reference engine. */
export function nospace(text: string): string {
  const bytes = bytewise(text);
  const kept = bytes.replace(/[\t-\r \u0085\u00a0]/g, "");
  return kept.length === bytes.length ? text : kept;
}

/** Returns the first byte of each word, as a character. */
export function initials(text: string): string {
  let result = "";
  let isNext = true;
  for (const byte of bytewise(text)) {
    const isSpace = space.test(byte);
    if (isNext && !isSpace) result += byte;
    isNext = isSpace;
  }
  return result;
}

const isUpper = /* @__PURE__ */ unicodePattern("[\\p{Lu}\\p{Lt}]");
const isLower = /* @__PURE__ */ unicodePattern("\\p{Ll}");

/** Swaps capitals and small letters. */
export function swapcase(text: string): string {
  spend(text.length);
  let afterSpace = true;
  return Array.from(text, (character) => {
    if (isUpper().test(character)) {
      afterSpace = false;
      return lower(character);
    }
    if (isLower().test(character)) {
      afterSpace = false;
      return upper(character);
    }
    afterSpace = afterSpace || space.test(character);
    return character;
  }).join("");
}

export function wrap(width: number, text: string): string {
  return wrapped(text, width, "\n", false);
}

export function wrapWith(width: number, separator: string, text: string): string {
  return wrapped(text, width, separator === "" ? "\n" : separator, true);
}

/** Breaks lines at spaces. `breaksWords`: whether longer words are broken as well. */
function wrapped(text: string, width: number, separator: string, breaksWords: boolean): string {
  const bytes = bytewise(text);
  const most = Math.max(width, 1);
  const lines: string[] = [];
  let at = 0;
  while (bytes.length - at > most) {
    if (bytes[at] === " ") {
      at++;
      continue;
    }
    const last = bytes.slice(at, at + most + 1).lastIndexOf(" ");
    const next = breaksWords ? -1 : bytes.indexOf(" ", at + most);
    const end = last >= 0 ? at + last : breaksWords ? at + most : next < 0 ? bytes.length : next;
    lines.push(bytes.slice(at, end));
    if (last < 0 && next < 0 && !breaksWords) {
      spend(lines.length);
      return fromBytewise(`${lines.join(bytewise(separator))}`);
    }
    at = last < 0 && breaksWords ? end : end + 1;
    refuseLarger("wrap", bytes.length + lines.length * separator.length, mostBytes);
  }
  spend(lines.length);
  lines.push(bytes.slice(at));
  return text === "" ? "" : fromBytewise(lines.join(bytewise(separator)));
}

export function contains(search: string, text: string): boolean {
  return text.includes(search);
}

export function hasPrefix(prefix: string, text: string): boolean {
  return beginsWith(text, "", prefix);
}

export function hasSuffix(suffix: string, text: string): boolean {
  return endsWith(text, "", suffix);
}

export function quote(...values: readonly TemplateValue[]): string {
  return present(values)
    .map((value) => quoteText(toText(value)))
    .join(" ");
}

export function squote(...values: readonly TemplateValue[]): string {
  return present(values)
    .map((value) => `'${printed(value)}'`)
    .join(" ");
}

export function cat(...values: readonly TemplateValue[]): string {
  return present(values).map(printed).join(" ");
}

function present(values: readonly TemplateValue[]): readonly TemplateValue[] {
  return values.filter((value) => value !== null && value !== undefined);
}

export function indent(count: number, text: string): string {
  const lead = repeat(count, " ");
  const lines = text.split("\n");
  refuseLarger("indent", text.length + lines.length * count, mostBytes);
  spendOnLength(text.length + lines.length * count);
  return lead + lines.join(`\n${lead}`);
}

export function nindent(count: number, text: string): string {
  return `\n${indent(count, text)}`;
}

export function replace(old: string, fresh: string, text: string): string {
  const count = old === "" ? text.length + 1 : splitText(text, old).length;
  refuseLarger("replace", text.length + count * fresh.length, mostBytes);
  spendOnLength(text.length + count * fresh.length);
  return String(replaceAll(text, "", old, fresh));
}

export function plural(one: string, many: string, count: number): string {
  return count === 1 ? one : many;
}

export function textOf(value: TemplateValue): string {
  return toText(value);
}

/** Returns the parts of a text. `most`: the largest number of parts, if it is not negative. */
function parts(separator: string, most: number, text: string): readonly string[] {
  if (most === 0) return [];
  const all = separator === "" ? [...text] : splitText(text, separator);
  spend(all.length);
  if (most < 0 || all.length <= most) return all;
  return [...all.slice(0, most - 1), all.slice(most - 1).join(separator)];
}

function numbered(texts: readonly string[]): Dict {
  return new Dict(
    texts.map((text, index) => [`_${index}`, text] as const),
    "string",
  );
}

export function split(separator: string, text: string): Dict {
  return numbered(parts(separator, -1, text));
}

export function splitn(separator: string, most: number, text: string): Dict {
  return numbered(parts(separator, most, text));
}

export function splitList(separator: string, text: string): List {
  return new List([...parts(separator, -1, text)], "string");
}

/** Returns the texts of the elements of a list. A list of texts is returned itself. */
function texts(value: TemplateValue): List {
  if (value instanceof List && value.of === "string") return value;
  const items = itemsOf(value);
  if (items === undefined)
    return new List(value === null || value === undefined ? [] : [toText(value)], "string");
  spend(items.length);
  return new List(present(items).map(toText), "string");
}

export function toStrings(value: TemplateValue): List {
  return texts(value);
}

export function join(separator: string, value: TemplateValue): string {
  const { items } = texts(value);
  const length = items.reduce((sum: number, item) => sum + String(item).length + separator.length, 0);
  refuseLarger("join", length, mostBytes);
  spend(items.length + (length >> 4));
  return items.join(separator);
}

/** Sorts by bytes. A list of texts is itself sorted, as in the reference engine. */
export function sortAlpha(value: TemplateValue): List {
  if (itemsOf(value) === undefined) return new List([toText(value)], "string");
  const sorted = texts(value);
  spend(sorted.items.length * 4);
  sorted.items.sort((one, other) => compareUtf8(String(one), String(other)));
  return sorted;
}
