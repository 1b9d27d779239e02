// Prints a value as YAML in the layout of the reference engine's library: blocks are indented by four, keys are in
// natural order, and text is quoted only if it would be read as something else.

import { formatTimestamp } from "../message/timestamp.ts";
import {
  deleted,
  isArray,
  isObject,
  nothing,
  SourceNumber,
  Timestamp,
  type Value,
} from "../message/value.ts";
import { unicodePattern } from "../text/memo.ts";
import { trimmedEnd } from "../text/trim.ts";
import { encodeUtf8 } from "../text/utf8.ts";
import { isNumber } from "./numeric.ts";
import { textOf } from "./text.ts";
import { plainScalar } from "./yaml-scalars.ts";

const step = 4;
const digit = /* @__PURE__ */ unicodePattern("\\p{Nd}");
const letter = /* @__PURE__ */ unicodePattern("\\p{L}");
const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
/** Words that older readers treat as booleans. */
const oldBooleans = /^(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/;

/** `.format_yaml()` */
export function formatYaml(target: Value, _from: string): Uint8Array {
  const written: string[] = [];
  if (isBlock(target)) writeBlock(target, 0, written);
  else written.push(scalar(target, step, 0), "\n");
  return encodeUtf8(written.join(""));
}

function isBlock(value: Value): boolean {
  if (isArray(value)) return value.length > 0;
  if (value instanceof Uint8Array) return value.length > 0;
  return isObject(value) && Object.keys(value).length > 0;
}

/**
 * Writes the lines of an object or array, each indented by `indent` spaces. `first`: the beginning of the first line,
 * which differs for a block after the `- ` of an element.
 */
function writeBlock(value: Value, indent: number, written: string[], first = " ".repeat(indent)): void {
  const items = value instanceof Uint8Array ? [...value] : value;
  let lead = first;
  if (isArray(items)) {
    for (const item of items) {
      written.push(lead, "- ");
      if (isBlock(item)) writeBlock(item, indent + 2, written, "");
      else written.push(scalar(item, indent + 2, indent), "\n");
      lead = " ".repeat(indent);
    }
  } else if (isObject(value)) {
    const deeper = step * (Math.floor(indent / step) + 1);
    for (const key of Object.keys(value).sort(compareNaturally)) {
      const inner = value[key] ?? null;
      written.push(lead, keyText(key), ":");
      if (isBlock(inner)) {
        written.push("\n");
        writeBlock(inner, deeper, written);
      } else written.push(" ", scalar(inner, deeper, indent), "\n");
      lead = " ".repeat(indent);
    }
  }
}

function keyText(key: string): string {
  if (key.includes("\n")) return doubleQuoted(key);
  return flowText(key);
}

/** Returns a value for one line. Text with several lines is indented by `indent` below a parent at `parent`. */
function scalar(value: Value, indent: number, parent: number): string {
  if (value === null || value === deleted || value === nothing) return "null";
  if (typeof value === "string")
    return value.includes("\n") ? literalText(value, indent, parent) : flowText(value);
  if (typeof value === "boolean") return String(value);
  if (isNumber(value)) return numberText(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  return isObject(value) ? "{}" : "[]";
}

function numberText(value: Value): string {
  if (value instanceof SourceNumber) return value.toString();
  const text = textOf(value);
  if (text === "NaN") return ".nan";
  return text.endsWith("Inf") ? text.replace("+Inf", ".inf").replace("-Inf", "-.inf") : text;
}

/** Returns text for one line: plain if it is read back as the same text, otherwise quoted. */
function flowText(text: string): string {
  if (!text.isWellFormed()) return binaryText(text);
  const reads = plainScalar(text) !== text || base60.test(text) || oldBooleans.test(text) || text === "<<";
  if (reads || hasSpecial(text)) return doubleQuoted(text);
  return isPlain(text) ? text : `'${text.replaceAll("'", "''")}'`;
}

/** Returns text with several lines after `|`, or quoted if it cannot be written that way. */
function literalText(text: string, indent: number, parent: number): string {
  if (/ \n/.test(text) || text.endsWith(" ") || hasSpecial(text.replaceAll("\n", "")))
    return doubleQuoted(text);
  const body = trimmedEnd(text, "\n");
  const ends = text.length - body.length;
  const chomping = ends === 0 ? "-" : ends === 1 && body !== "" ? "" : "+";
  const hint = /^[ \n]/.test(text) ? String(indent - parent) : "";
  const lines = body.split("\n").map((line) => (line === "" ? "" : " ".repeat(indent) + line));
  return `|${hint}${chomping}\n${lines.join("\n")}${ends > 1 ? "\n".repeat(ends - 1) : ""}`;
}

/** Whether a text contains characters that need escapes. Characters beyond the BMP count as well. */
function hasSpecial(text: string): boolean {
  return /[^\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/.test(text);
}

/** Returns bytes that are not valid text. */
function binaryText(text: string): string {
  return `!!binary ${Buffer.from(encodeUtf8(text)).toString("base64")}`;
}

function isPlain(text: string): boolean {
  if (text === "" || /^ | $/.test(text)) return false;
  if (/^(?:---|\.\.\.)/.test(text)) return false;
  if (/^[#,[\]{}&*!|>'"%@`]/.test(text)) return false;
  if (/^[-?:](?:[ \t]|$)/.test(text)) return false;
  return !/: |:$| #/.test(text);
}

const escapes: Readonly<Record<string, string>> = {
  "\0": "\\0",
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  "\x1b": "\\e",
  '"': '\\"',
  "\\": "\\\\",
  "\u0085": "\\N",
  "\u2028": "\\L",
  "\u2029": "\\P",
};

function doubleQuoted(text: string): string {
  let result = "";
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const written = escapes[character];
    if (written !== undefined) result += written;
    else if (!hasSpecial(character)) result += character;
    else if (code <= 0xff) result += `\\x${hex(code, 2)}`;
    else result += code <= 0xffff ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
  }
  return `"${result}"`;
}

function hex(code: number, width: number): string {
  return code.toString(16).toUpperCase().padStart(width, "0");
}

/** Compares keys in natural order: digits by their number, and letters after all other characters. */
function compareNaturally(a: string, b: string): number {
  const left = [...a];
  const right = [...b];
  let digits = false;
  for (let at = 0; at < left.length && at < right.length; at++) {
    const [x = "", y = ""] = [left[at], right[at]];
    if (x === y) {
      digits = isDigit(x);
      continue;
    }
    const letters = [isLetter(x), isLetter(y)];
    if (letters[0] && letters[1]) return x < y ? -1 : 1;
    if (letters[0] || letters[1]) return digits ? (letters[0] ? -1 : 1) : letters[0] ? 1 : -1;
    return compareRuns(left, right, at);
  }
  return left.length - right.length;
}

/** Compares the numbers of two keys from `at` on. If one starts with a zero, the digits before it matter as well. */
function compareRuns(left: readonly string[], right: readonly string[], at: number): number {
  const [x = "", y = ""] = [left[at], right[at]];
  const before = left.slice(0, at).join("");
  const lead = (x === "0" || y === "0") && /[1-9]0*$/.test(before) ? "1" : "0";
  const [first = "", second = ""] = [left, right].map((all) => /^[0-9]*/.exec(all.slice(at).join(""))?.[0]);
  const order = compareDigits(lead + first, lead + second);
  if (order !== 0) return order;
  if (first.length !== second.length) return first.length - second.length;
  return x < y ? -1 : 1;
}

/** Compares numbers by their digits: converting long ones would take time quadratic in their length. */
function compareDigits(left: string, right: string): number {
  const [a, b] = [left.replace(/^0+/, ""), right.replace(/^0+/, "")];
  if (a.length !== b.length) return a.length - b.length;
  return a === b ? 0 : a < b ? -1 : 1;
}

function isDigit(character: string): boolean {
  return digit().test(character);
}

function isLetter(character: string): boolean {
  return letter().test(character);
}
