// Values of AWK programs: numbers, texts, and texts of the input that count as numbers if they look like one.
//
// A text is a string with one character per byte, because the functions of the reference engine count bytes.

import { MappingError } from "../../errors.ts";
import { readFloat } from "../../mapping/float-text.ts";
import { formatted } from "../../mapping/format.ts";
import { plain, type Verb, writtenFloat, writtenInteger, writtenText } from "../../mapping/format-verbs.ts";
import { mostBytes, refuseLarger, tooLarge } from "../../mapping/size-limits.ts";
import { bytewise, fromBytewise } from "../../text/utf8.ts";
import { spend, spendOnLength, spendOnText } from "../jq/run.ts";

/** A text of the input. It counts as a number if all of it is one. */
export class InputText {
  readonly text: string;
  /** The number, `undefined` if the text is none; `null` until it was read. */
  #number: number | undefined | null = null;

  constructor(text: string) {
    this.text = text;
  }

  number(): number | undefined {
    if (this.#number === null) this.#number = wholeNumber(this.text);
    return this.#number;
  }
}

/** A value. `undefined`: a variable without a value, which is both 0 and an empty text. */
export type AwkValue = undefined | number | string | InputText;

/** An array, which functions receive by reference. */
export class AwkArray {
  elements = new Map<string, AwkValue>();
}

/** Returns the failure of a message. */
export function failure(reason: string): MappingError {
  return new MappingError(reason);
}

/** Counts the cost of a text, which may be too long. */
export function counted(text: string): string {
  if (text.length > mostBytes) throw tooLarge(mostBytes);
  spendOnLength(text.length);
  return text;
}

/** Returns the number for arithmetic. */
export function toNumber(value: AwkValue): number {
  if (typeof value === "number") return value;
  if (value === undefined) return 0;
  return leadingNumber(typeof value === "string" ? value : value.text);
}

/** Returns the text. `format`: how numbers that are not whole are written. */
export function toText(value: AwkValue, format: string): string {
  if (typeof value === "string") return value;
  if (value === undefined) return "";
  return typeof value === "number" ? numberText(value, format) : value.text;
}

/** Returns the number if the value compares as one; `undefined` if it compares as a text. */
export function asNumber(value: AwkValue): number | undefined {
  if (typeof value === "number") return value;
  if (value === undefined) return 0;
  return typeof value === "string" ? undefined : value.number();
}

export function isTrue(value: AwkValue): boolean {
  if (typeof value === "string") return value !== "";
  const number = asNumber(value);
  return number === undefined ? value instanceof InputText && value.text !== "" : number !== 0;
}

const edge = 2 ** 63;

/** Returns the int64 of a number, like the processors on which the reference engine runs: the smallest if it does not fit. */
export function toInteger(value: number): number {
  return value >= -edge && value < edge ? Math.trunc(value) : -edge;
}

/** Returns the uint64 of a number, in the same way. */
function toUnsigned(value: number): bigint {
  if (value >= edge && value < 2 * edge) return BigInt(Math.trunc(value));
  return BigInt.asUintN(64, BigInt(toInteger(value)));
}

function numberText(value: number, format: string): string {
  if (Number.isSafeInteger(value)) return value === 0 ? "0" : String(value);
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  if (toInteger(value) === value) return BigInt(value).toString();
  if (format !== "%.6g") return formattedBy(format, [value]);
  const text = String(value);
  // Few digits are not rounded.
  if (text.length <= 7 && !text.includes("e") && Math.abs(value) >= 1e-4) return text;
  return writtenFloat(value, value, sixDigits) ?? "";
}

const sixDigits: Verb = { ...plain, letter: "g", precision: 6 };

/** White space of Unicode, as bytes. */
const whitespace =
  /(?:[\t-\r ]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)+/;

/** Returns the parts of a text between white space. */
export function wordsOf(text: string): string[] {
  const words = text.split(whitespace);
  if (words[0] === "") words.shift();
  if (words.at(-1) === "") words.pop();
  return words;
}

const sequence = /^(?:[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})$/;

/** Whether bytes are one character. A byte that is not UTF-8 counts as one. */
export function isOneCharacter(bytes: string): boolean {
  return bytes.length === 1 || sequence.test(bytes);
}

/** Whether a text begins with white space. */
export function beginsBlank(text: string): boolean {
  return text.slice(0, 3).search(whitespace) === 0;
}

const simple = /^[+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?$/;

/** Returns the number that a whole text is; `undefined` if it is none, or too large. */
function wholeNumber(text: string): number | undefined {
  if (simple.test(text)) return Number(text);
  spendOnText(text);
  const [word = "", ...others] = wordsOf(text);
  if (others.length > 0 || word.includes("_")) return undefined;
  if (/^[+-]nan$/i.test(word)) return Number.NaN;
  const isHexadecimal = /^[+-]?0[xX]./.test(word) && !word.includes("p");
  const found = readFloat(isHexadecimal ? `${word}p0` : word);
  return typeof found === "number" ? found : undefined;
}

const leading =
  /^[\t-\r ]*([+-]?)(?:(nan)|(inf)|(0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+))(p[+-]?[0-9]+)?|((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?))/i;

/** Returns the number with which a text begins, otherwise 0. */
function leadingNumber(text: string): number {
  if (simple.test(text)) return Number(text);
  spendOnText(text);
  const [, sign, nan, infinite, hexadecimal, power, decimal] = leading.exec(text) ?? [];
  const factor = sign === "-" ? -1 : 1;
  if (decimal !== undefined) return factor * Number(decimal);
  if (nan !== undefined) return Number.NaN;
  if (infinite !== undefined) return factor * Number.POSITIVE_INFINITY;
  // `0x` without digits begins with 0.
  if (hexadecimal === undefined) return 0;
  const found = readFloat(hexadecimal + (power ?? "p0"));
  return factor * (typeof found === "number" ? found : Number.POSITIVE_INFINITY);
}

/** A byte that `%c` writes. */
class Character {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Argument = string | number | bigint | Unsigned | Character;

/** An integer without a sign. */
class Unsigned {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

const flags = " .-+*#0123456789";

/** Returns the kinds of arguments that a format takes, one letter each. Throws if it is invalid. */
function kindsOf(format: string): string {
  let kinds = "";
  for (let at = format.indexOf("%"); at >= 0; at = format.indexOf("%", at + 1)) {
    at++;
    if (format.charAt(at) === "%") continue;
    for (; at < format.length && flags.includes(format.charAt(at)); at++)
      if (format.charAt(at) === "*") kinds += "d";
    const letter = format.charAt(at);
    if (letter === "") throw failure("format error: expected type specifier after %");
    if ("diouxX".includes(letter)) kinds += letter === "u" ? "u" : "d";
    else if ("feEgG".includes(letter)) kinds += "f";
    else if (letter === "s" || letter === "c") kinds += letter;
    else throw failure(`format error: invalid format type '${letter}'`);
  }
  return kinds;
}

/** `sprintf(format, …)`. `convert`: how numbers become texts. */
export function sprintf(format: string, values: readonly AwkValue[], convert: string): string {
  const kinds = kindsOf(format);
  spend(8 + 8 * kinds.length);
  if (kinds.length > values.length)
    throw failure(`format error: got ${values.length} args, expected ${kinds.length}`);
  return formattedBy(
    format,
    Array.from(kinds, (kind, index) => argumentOf(kind, values[index], convert)),
  );
}

function argumentOf(kind: string, value: AwkValue, convert: string): Argument {
  switch (kind) {
    case "d":
      return BigInt(toInteger(toNumber(value)));
    case "u":
      return new Unsigned(toUnsigned(toNumber(value)));
    case "f":
      return toNumber(value);
    case "s":
      return fromBytewise(toText(value, convert));
  }
  const number = asNumber(value);
  const byte = number === undefined ? toText(value, convert).charAt(0) : byteOf(number);
  return new Character(fromBytewise(byte || "\0"));
}

function byteOf(number: number): string {
  return String.fromCharCode(Number(BigInt.asUintN(8, BigInt(toInteger(number)))));
}

/** Returns a text with the verbs of Go replaced. */
function formattedBy(format: string, args: readonly Argument[]): string {
  const text = fromBytewise(format);
  const result = formatted<Argument>(text, args, {
    write: written,
    describe: (value) => `${kindName(value)}=${written(plain, value)}`,
    sizeOf: (value) => (typeof value === "bigint" ? Number(value) : undefined),
  });
  refuseLarger("sprintf", result.length, mostBytes);
  spendOnLength(result.length);
  return bytewise(result);
}

function kindName(value: Argument): string {
  if (value instanceof Character) return "[]uint8";
  if (value instanceof Unsigned) return "uint";
  if (typeof value === "bigint") return "int";
  return typeof value === "number" ? "float64" : "string";
}

function written(verb: Verb, value: Argument): string {
  const found = writtenAs(verb, value);
  return found ?? `%!${verb.letter}(${kindName(value)}=${writtenAs({ ...verb, letter: "v" }, value)})`;
}

function writtenAs(verb: Verb, value: Argument): string | undefined {
  if (value instanceof Character) return writtenText(value.text, { ...verb, letter: "s" });
  if (value instanceof Unsigned) return writtenInteger(value.value, { ...verb, letter: "d" });
  if (typeof value === "bigint") return writtenInteger(value, verb);
  return typeof value === "number" ? writtenFloat(value, value, verb) : writtenText(value, verb);
}
