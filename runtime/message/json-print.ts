// Prints scalars and strings as JSON, and values of any nesting depth.
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

/** Matches control characters, quotes, backslashes, U+2028, U+2029 and surrogates. */
const unsafeInString = /[^ !#-[\]-\u2027\u202a-\ud7ff\ue000-\uffff]/;
const rarelyEscaped = /[\u2028\u2029]|\\(?:ud[89a-f][0-9a-f]{2}|.)/g;

/** Whether the JSON text of a string differs from the string in more than its quotes. */
export function hasEscapes(text: string): boolean {
  return unsafeInString.test(text);
}

/** Returns a string as JSON text with quotes. A byte that is not UTF-8 becomes `\ufffd`. */
export function quoteJson(text: string): string {
  if (!hasEscapes(text)) return `"${text}"`;
  return JSON.stringify(text).replace(rarelyEscaped, (found) => {
    if (found.startsWith("\\ud")) return "\\ufffd";
    return found.startsWith("\\") ? found : `\\u${found.charCodeAt(0).toString(16)}`;
  });
}

/** Returns the keys of an object in the order in which they are printed. */
export function sortedKeys(object: ObjectValue): string[] {
  return sortKeys(Object.keys(object));
}

/** Sorts keys in place into the order in which they are printed, and returns them. */
export function sortKeys(keys: string[]): string[] {
  // Insertion sort: faster than the general sort for few keys, which are often sorted already.
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

/** Returns the JSON text of a value that is neither array nor object. */
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

/**
 * Returns JSON of any nesting depth over several lines, with `indent` once per level. Empty brackets stay on one line.
 */
export function printJsonIndented(value: Value, indent: string): string {
  return guarded(() => printPending(value, indent));
}

/** Returns JSON of any nesting depth on one line. Throws a `NotEncodable` if a value has no JSON text. */
export function printJsonDeep(value: Value): string {
  return printPending(value, undefined);
}

/** Prints with an explicit stack of what is still to be printed, last first. */
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

/** Returns the brackets, keys and elements of an array or object, last first. */
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

/** Throws a `NotEncodable` if the year does not have four digits, which RFC 3339 requires. */
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
  // The bounds beyond which numbers have an exponent are rounded to float32 as well.
  const shortest = shortestFloat32(value);
  const plain = Math.abs(value) >= Math.fround(1e-6) && Math.abs(value) < Math.fround(1e21);
  return plain ? withoutExponent(shortest) : String(Number(shortest));
}

/** Returns the fewest digits that identify a float32, in the notation of JavaScript. */
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
    // The encoder of the reference engine fails on such a number, and the message becomes empty.
    if (error instanceof NotEncodable) return "";
    throw error;
  }
}

/** Thrown for a value without JSON text, such as NaN or an infinity. */
export class NotEncodable extends Error {}
