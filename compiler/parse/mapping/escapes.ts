// Decodes the escapes of double-quoted strings, which are those of Go.

const simpleEscapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
};

const hexLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** A place in a string that cannot be decoded, as offsets from its first character. */
export interface EscapeMistake {
  readonly start: number;
  readonly end: number;
}

interface Escape {
  /** The number of characters of the escape, the backslash included. */
  readonly length: number;
  readonly text?: string;
  /** For `\xHH` and `\ooo`: one byte, which may be a part of a character. */
  readonly byte?: number;
}

/**
 * Decodes the contents of a double-quoted string: `a\n\xe2\x82\xac` becomes `a`, a line break and `€`. A byte that is
 * not part of valid UTF-8 becomes the lone surrogate U+DC00 + byte.
 */
export function decodeString(contents: string): string | EscapeMistake {
  let decoded = "";
  let bytes: number[] = [];
  for (let at = 0; at < contents.length; ) {
    const character = contents.charAt(at);
    if (character === "\n") return { start: at, end: at + 1 };
    const taken = character === "\\" ? readEscape(contents, at) : { length: 1, text: character };
    if (taken === undefined) return { start: at, end: Math.min(at + 2, contents.length) };
    if (taken.byte === undefined) {
      decoded += decodeBytes(bytes) + (taken.text ?? "");
      bytes = [];
    } else {
      bytes.push(taken.byte);
    }
    at += taken.length;
  }
  return decoded + decodeBytes(bytes);
}

function readEscape(contents: string, at: number): Escape | undefined {
  const kind = contents.charAt(at + 1);
  const simple = simpleEscapes[kind];
  if (simple !== undefined) return { length: 2, text: simple };
  const hexLength = hexLengths[kind];
  if (hexLength !== undefined) return readHexEscape(contents.slice(at + 2, at + 2 + hexLength), hexLength);
  const octal = contents.slice(at + 1, at + 4);
  if (!/^[0-3][0-7]{2}$/.test(octal)) return undefined;
  return { length: 4, byte: Number.parseInt(octal, 8) };
}

function readHexEscape(digits: string, wanted: number): Escape | undefined {
  if (digits.length !== wanted || !/^[0-9a-fA-F]+$/.test(digits)) return undefined;
  const value = Number.parseInt(digits, 16);
  if (wanted === 2) return { length: 4, byte: value };
  const isCharacter = value <= 0x10ffff && !(value >= 0xd800 && value <= 0xdfff);
  return isCharacter ? { length: 2 + wanted, text: String.fromCodePoint(value) } : undefined;
}

function decodeBytes(bytes: readonly number[]): string {
  let decoded = "";
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length === 0) {
      const byte = bytes[at] ?? 0;
      decoded += String.fromCharCode(0xdc00 + byte);
    } else {
      decoded += Buffer.from(bytes.slice(at, at + length)).toString("utf8");
    }
    at += Math.max(length, 1);
  }
  return decoded;
}

/** Returns the number of bytes of the UTF-8 character at `at`; 0 if there is no valid one. */
function sequenceLength(bytes: readonly number[], at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (let offset = 1; offset < length; offset++) {
    const byte = bytes[at + offset] ?? 0;
    const [low, high] = offset === 1 ? secondByteRange(first) : [0x80, 0xbf];
    if (byte < low || byte > high) return 0;
  }
  return length;
}

/** Returns the range that excludes overlong forms, surrogates and code points beyond Unicode. */
function secondByteRange(first: number): readonly [number, number] {
  if (first === 0xe0) return [0xa0, 0xbf];
  if (first === 0xed) return [0x80, 0x9f];
  if (first === 0xf0) return [0x90, 0xbf];
  if (first === 0xf4) return [0x80, 0x8f];
  return [0x80, 0xbf];
}
