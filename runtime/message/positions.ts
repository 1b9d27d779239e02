// Positions in a source from which it can be read again, and their encoding for clients.

/** The position of one message, such as the partition of a topic and its offset, or a stream and its sequence. */
export interface PartPosition {
  readonly part: string;
  readonly offset: bigint;
}

/** For each part of a source, the offset of the next message to read. All messages before it have been read. */
export type Positions = ReadonlyMap<string, bigint>;

/** The longest position text accepted from a client. It leaves room in the 16 KiB allowed for its headers. */
export const mostCharacters = 8192;
/** The maximum number of parts accepted from a client. */
const mostParts = 4096;

/** Four characters of base64 stand for three bytes. */
const wholeBytes = 3;
const end = /* @__PURE__ */ encode("]");
const partEnd = /* @__PURE__ */ encode('"]');

/** Encoded positions. Those of successive messages share their texts: often, only three digits differ. */
export class EncodedPositions {
  readonly before: string;
  /** The digits that change most often. */
  readonly last: string;
  readonly after: string;

  constructor(before: string, last = "", after = "") {
    this.before = before;
    this.last = last;
    this.after = after;
  }

  get length(): number {
    return this.before.length + this.last.length + this.after.length;
  }

  toString(): string {
    return this.before + this.last + this.after;
  }
}

/** A part of a source, with the beginning of its text. */
interface EncodedPart {
  readonly isFirst: boolean;
  /** The digits of the offset that `head` contains. */
  readonly digits: string;
  readonly head: string;
  readonly offset: bigint;
  readonly text: string;
}

/** The texts around the last three digits of one offset. */
interface Surroundings {
  readonly part: string;
  /** The offset with zeros as its last three digits. */
  readonly base: bigint;
  readonly before: string;
  readonly after: string;
}

/**
 * Encodes positions as one opaque word of letters, digits, `-` and `_`. Successive positions differ in few parts, and
 * in these only in the last three digits, so the other texts are kept: blanks make the length of each a multiple of
 * three bytes, so that they can be joined.
 */
export class PositionEncoder {
  readonly #parts = new Map<string, EncodedPart>();
  #surroundings: Surroundings | undefined;

  encode(positions: Positions): EncodedPositions {
    this.#surroundings = undefined;
    if (this.#parts.size > positions.size) this.#parts.clear();
    let word = positions.size === 0 ? encode("[") : "";
    for (const [part, offset] of positions) word += this.#textOf(part, offset, word === "");
    return new EncodedPositions(word + end);
  }

  /** As `encode`, for positions that differ from those of the last call in one part, which they contain. */
  encodeChange(positions: Positions, part: string): EncodedPositions {
    const offset = positions.get(part) ?? 0n;
    if (this.#surroundings?.part !== part) this.#surroundings = this.#surround(positions, part);
    const known = this.#surroundings;
    const number = known === undefined ? -1 : Number(offset - known.base);
    if (known !== undefined && number >= 0 && number < encodedDigits.length)
      return new EncodedPositions(known.before, encodeDigits(number), known.after);
    return this.encode(positions);
  }

  /** Returns the texts around the digits of a part; `undefined` if its offset has fewer. */
  #surround(positions: Positions, wanted: string): Surroundings | undefined {
    const all = this.encode(positions);
    let before = "";
    for (const [part, offset] of positions) {
      const text = this.#textOf(part, offset, before === "");
      if (part !== wanted) {
        before += text;
        continue;
      }
      const { head = "", digits = "" } = this.#parts.get(part) ?? {};
      if (String(offset).length !== digits.length + wholeBytes) return undefined;
      const start = before + head;
      const after = String(all).slice(start.length + encodedDigitsLength);
      return { part, base: offset - (offset % thousand), before: start, after };
    }
    return undefined;
  }

  #textOf(part: string, offset: bigint, isFirst: boolean): string {
    const known = this.#parts.get(part);
    const isUsable = known?.isFirst === isFirst;
    if (isUsable && known.offset === offset) return known.text;
    const all = String(offset);
    const kept = all.length < wholeBytes ? all.length : all.length - wholeBytes;
    const digits = all.slice(0, kept);
    const head = isUsable && known.digits === digits ? known.head : headOf(part, digits, isFirst);
    const last = kept === all.length ? "" : encodeDigits(Number(all.slice(kept)));
    const text = head + last + partEnd;
    this.#parts.set(part, { offset, isFirst, text, digits, head });
    return text;
  }
}

function headOf(part: string, digits: string, isFirst: boolean): string {
  const json = `[${JSON.stringify(part)},"${digits}`;
  return base64(`${isFirst ? "[" : ","}${blanksFor(Buffer.byteLength(json) + 1)}${json}`);
}

const thousand = 1000n;
/** The number of characters that stand for three digits. */
const encodedDigitsLength = 4;

/** The encoded texts of numbers of three digits. */
const encodedDigits: (string | undefined)[] = /* @__PURE__ */ Array.from({ length: 1000 });

/** Encodes a number below 1,000, with leading zeros. */
function encodeDigits(number: number): string {
  const known = encodedDigits[number];
  if (known !== undefined) return known;
  const encoded = base64(String(number).padStart(wholeBytes, "0"));
  encodedDigits[number] = encoded;
  return encoded;
}

function encode(json: string): string {
  return base64(json + blanksFor(json.length));
}

/** Returns the blanks that make `bytes` a multiple of three. */
function blanksFor(bytes: number): string {
  return " ".repeat((wholeBytes - (bytes % wholeBytes)) % wholeBytes);
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64url");
}

/** Decodes a result of `PositionEncoder`; `undefined` for any other text. */
export function decodePositions(text: string): Positions | undefined {
  if (text === "" || text.length > mostCharacters || !/^[\w-]+$/.test(text)) return undefined;
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch {
    return undefined; // not a result of `PositionEncoder`
  }
  if (!Array.isArray(parts) || parts.length > mostParts || !parts.every(isPart)) return undefined;
  return new Map(parts.map(([part, offset]) => [part, BigInt(offset)]));
}

function isPart(value: unknown): value is readonly [string, string] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [part, offset]: readonly unknown[] = value;
  return typeof part === "string" && typeof offset === "string" && /^\d{1,19}$/.test(offset);
}

/** Whether reading has reached `goal` in each part that `goal` names. */
export function hasReached(positions: Positions, goal: Positions): boolean {
  return [...goal].every(([part, offset]) => (positions.get(part) ?? 0n) >= offset);
}
