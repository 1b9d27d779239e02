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

interface EncodedPart {
  readonly offset: bigint;
  readonly isFirst: boolean;
  readonly text: string;
  /** The digits of the offset that `head` contains. */
  readonly digits: string;
  /** The beginning of the text. */
  readonly head: string;
}

/**
 * Encodes positions as one opaque word of letters, digits, `-` and `_`. Successive positions differ in few parts, and
 * in these only in the last three digits, so the other texts are kept: blanks make the length of each a multiple of
 * three bytes, so that they can be joined.
 */
export class PositionEncoder {
  readonly #parts = new Map<string, EncodedPart>();

  encode(positions: Positions): string {
    if (this.#parts.size > positions.size) this.#parts.clear();
    let word = positions.size === 0 ? encode("[") : "";
    for (const [part, offset] of positions) word += this.#textOf(part, offset, word === "");
    return word + end;
  }

  #textOf(part: string, offset: bigint, isFirst: boolean): string {
    const known = this.#parts.get(part);
    const isUsable = known?.isFirst === isFirst;
    if (isUsable && known.offset === offset) return known.text;
    const all = String(offset);
    const kept = all.length < wholeBytes ? all.length : all.length - wholeBytes;
    const digits = all.slice(0, kept);
    const head = isUsable && known.digits === digits ? known.head : headOf(part, digits, isFirst);
    const text = head + encodeDigits(all.slice(kept)) + partEnd;
    this.#parts.set(part, { offset, isFirst, text, digits, head });
    return text;
  }
}

function headOf(part: string, digits: string, isFirst: boolean): string {
  const json = `[${JSON.stringify(part)},"${digits}`;
  return base64(`${isFirst ? "[" : ","}${blanksFor(Buffer.byteLength(json) + 1)}${json}`);
}

/** The encoded texts of three digits. */
const encodedDigits = /* @__PURE__ */ new Map<string, string>();

function encodeDigits(digits: string): string {
  const known = encodedDigits.get(digits);
  if (known !== undefined) return known;
  const encoded = base64(digits);
  encodedDigits.set(digits, encoded);
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
