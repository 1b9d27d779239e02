// The texts JSON is made of, and JSON of any depth of nesting.
import { asBuffer, compareUtf8 } from "../text/utf8.ts";
import { formatTimestamp } from "./timestamp.ts";
import {
  isArray,
  isObject,
  Marker,
  type ObjectValue,
  SizedNumber,
  Timestamp,
  Unsigned,
  type Value,
  WholeFloat,
} from "./value.ts";

/** Anything but blank to U+007F and beyond, without quote, backslash, U+2028, U+2029 and surrogates. */
const unsafeInString = /[^ !#-[\]-\u2027\u202a-\ud7ff\ue000-\uffff]/;
const rarelyEscaped = /[\u2028\u2029]|\\(?:ud[89a-f][0-9a-f]{2}|.)/g;

/** The JSON text of a string, with quotes; a byte that is not UTF-8 becomes `\ufffd`. */
export function quoteJson(text: string): string {
  if (!unsafeInString.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(rarelyEscaped, (found) => {
    if (found.startsWith("\\ud")) return "\\ufffd";
    return found.startsWith("\\") ? found : `\\u${found.charCodeAt(0).toString(16)}`;
  });
}

/** The keys of an object in the order they are printed. */
export function sortedKeys(object: ObjectValue): string[] {
  return sortKeys(Object.keys(object));
}

/** Puts keys in the order they are printed. */
export function sortKeys(keys: string[]): string[] {
  // Few keys that are often in order already: moving each to its place beats the general sort.
  if (keys.length > 40) return keys.sort(compareUtf8);
  for (let index = 1; index < keys.length; index++) {
    const key = keys[index] ?? "";
    let place = index;
    for (; place > 0; place--) {
      const before = keys[place - 1] ?? "";
      if (compareUtf8(before, key) <= 0) break;
      keys[place] = before;
    }
    if (place < index) keys[place] = key;
  }
  return keys;
}

/** The JSON text of a value that is neither array nor object. */
export function printScalar(value: Value): string {
  if (typeof value === "string") return quoteJson(value);
  if (typeof value === "number") return printFloat(value);
  if (value instanceof WholeFloat) return printFloat(value.valueOf());
  if (value instanceof Uint8Array) {
    return `"${asBuffer(value).toString("base64")}"`;
  }
  if (value instanceof Timestamp) return printTimestamp(value);
  if (value instanceof Marker) return "null";
  if (value instanceof SizedNumber) return printSized(value);
  return value instanceof Unsigned ? String(value.valueOf()) : String(value);
}

/** JSON of any depth laid out over lines: `indent` once per level, nothing within empty brackets. */
export function printJsonIndented(value: Value, indent: string): string {
  return guarded(() => printPending(value, indent));
}

/** JSON of any depth on one line. Throws `NotEncodable`. */
export function printJsonDeep(value: Value): string {
  return printPending(value, undefined);
}

/** Prints with a stack of its own what is left to print, last first. */
function printPending(root: Value, indent: string | undefined): string {
  const pending: (Pending | Verbatim)[] = [{ value: root, depth: 0 }];
  let text = "";
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if ("text" in next) {
      text += next.text;
    } else if (isArray(next.value) || isObject(next.value)) {
      pending.push(...brackets(next.value, next.depth, indent));
    } else {
      text += printScalar(next.value);
    }
  }
  return text;
}

interface Pending {
  readonly value: Value;
  readonly depth: number;
}

interface Verbatim {
  readonly text: string;
}

/** What an array or object consists of, last first. */
function brackets(
  container: readonly Value[] | ObjectValue,
  depth: number,
  indent: string | undefined,
): (Pending | Verbatim)[] {
  const open = isArray(container) ? "[" : "{";
  const close = isArray(container) ? "]" : "}";
  const keys = isArray(container) ? [...container.keys()] : sortedKeys(container);
  if (keys.length === 0) return [{ text: open + close }];
  const line = (level: number) => (indent === undefined ? "" : `\n${indent.repeat(level)}`);
  const colon = indent === undefined ? ":" : ": ";
  const parts: (Pending | Verbatim)[] = [];
  for (const [position, key] of keys.entries()) {
    const lead = (position === 0 ? open : ",") + line(depth + 1);
    parts.push({ text: typeof key === "string" ? lead + quoteJson(key) + colon : lead });
    const child = Array.isArray(container) ? container[Number(key)] : (container as ObjectValue)[key];
    parts.push({ value: child ?? null, depth: depth + 1 });
  }
  parts.push({ text: line(depth) + close });
  return parts.reverse();
}

/** RFC 3339 has years of four digits. */
function printTimestamp(value: Timestamp): string {
  const text = formatTimestamp(value);
  if (text[4] !== "-") throw new NotEncodable();
  return `"${text}"`;
}

function printFloat(value: number): string {
  if (!Number.isFinite(value)) throw new NotEncodable();
  return Object.is(value, -0) ? "-0" : String(value);
}

function printSized(sized: SizedNumber): string {
  const value = sized.valueOf();
  const printed = printFloat(value);
  if (sized.numericKind() !== "float32" || value === 0) return printed;
  // The bounds beyond which an exponent is written are float32 numbers as well.
  const shortest = shortestFloat32(value);
  const plain = Math.abs(value) >= Math.fround(1e-6) && Math.abs(value) < Math.fround(1e21);
  return plain ? withoutExponent(shortest) : String(Number(shortest));
}

/** The fewest digits that give a float32 back, as JavaScript writes numbers. */
export function shortestFloat32(value: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return text;
  }
  return value.toPrecision(9);
}

function withoutExponent(text: string): string {
  const number = Number(text);
  const written = String(number);
  return written.includes("e") ? BigInt(number).toString() : written;
}

function guarded(printer: () => string): string {
  try {
    return printer();
  } catch (error) {
    // The reference's encoder gives up on such a number, and the message comes out empty.
    if (error instanceof NotEncodable) return "";
    throw error;
  }
}

/** Thrown at a NaN or an infinity. */
export class NotEncodable extends Error {}
