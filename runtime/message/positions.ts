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
/** The largest offset of a source that counts in signed integers of 64 bits. */
const largestOffset = 2n ** 63n - 1n;
const mostDigits = String(largestOffset).length;

/** Encoded positions. Those of successive messages share their texts: often, only one offset differs. */
export class EncodedPositions {
  readonly before: string;
  /** The offset that changes most often. */
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

/**
 * Encoded positions, in ABNF. A name is the text of a part in base64url, without the number and the space at its start.
 * It stands once, before the number and the offset of each of its parts: the partitions of a topic share its name.
 * All characters are allowed in a header, in a field of an event stream, and unescaped in a query.
 *
 *     positions = "a" *group              ; the letter is the version of the format
 *     group     = "~" name 1*entry
 *     entry     = "." [number "-"] offset ; decimal, without leading zeros
 */
const version = "a";
const groupStart = "~";
const entryStart = ".";
const numberEnd = "-";

const decimal = /^(?:0|[1-9]\d*)$/;
/** Separates the number of a part from its name. */
const space = " ";

/** Returns the name of a part and its number, if it has one. */
function splitPart(part: string): readonly [name: string, number?: string] {
  const end = part.indexOf(space);
  const number = part.slice(0, Math.max(0, end));
  return decimal.test(number) ? [part.slice(end + 1), number] : [part];
}

/** The texts of a part before its offset, and the offset that was encoded last. */
interface EncodedPart {
  readonly group: string;
  readonly entry: string;
  offset: bigint;
  digits: string;
}

/** Stands for an offset that is inserted later. */
const gap = "*";

/** Encodes positions as one opaque word. Successive positions differ in few parts, so the other texts are kept. */
export class PositionEncoder {
  readonly #parts = new Map<string, EncodedPart>();
  /** The texts around the offset of one part. */
  #around: { readonly part: string; readonly before: string; readonly after: string } | undefined;

  encode(positions: Positions): EncodedPositions {
    this.#around = undefined;
    if (this.#parts.size > positions.size) this.#parts.clear();
    return new EncodedPositions(this.#textOf(positions));
  }

  /** As `encode`, for positions that differ from those of the last call in one part, which they contain. */
  encodeChange(positions: Positions, part: string): EncodedPositions {
    if (this.#around?.part !== part) {
      const [before = "", after = ""] = this.#textOf(positions, part).split(gap);
      this.#around = { part, before, after };
    }
    const { before, after } = this.#around;
    return new EncodedPositions(before, digitsOf(positions.get(part) ?? 0n), after);
  }

  /** Returns the whole text, with a gap instead of the offset of `without`. */
  #textOf(positions: Positions, without?: string): string {
    const groups = new Map<string, string>();
    for (const [part, offset] of positions) {
      const known = this.#parts.get(part) ?? this.#add(part);
      if (part !== without && known.offset !== offset) {
        known.offset = offset;
        known.digits = digitsOf(offset);
      }
      const { group, entry, digits } = known;
      groups.set(group, (groups.get(group) ?? group) + entry + (part === without ? gap : digits));
    }
    return version + [...groups.values()].join("");
  }

  #add(part: string): EncodedPart {
    const [name, number] = splitPart(part);
    const entry = entryStart + (number === undefined ? "" : number + numberEnd);
    const added: EncodedPart = { group: groupStart + base64(name), entry, offset: 0n, digits: "0" };
    this.#parts.set(part, added);
    return added;
  }
}

function digitsOf(offset: bigint): string {
  const number = Number(offset);
  // Numbers are printed faster.
  return String(Number.isSafeInteger(number) ? number : offset);
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64url");
}

/** Decodes a result of `PositionEncoder`; `undefined` for any other text. */
export function decodePositions(text: string): Positions | undefined {
  if (text.length > mostCharacters) return undefined;
  const [start, ...groups] = text.split(groupStart);
  if (start !== version) return undefined;
  const names = new Set<string>();
  const positions = new Map<string, bigint>();
  for (const group of groups) {
    const [word = "", ...entries] = group.split(entryStart);
    const name = Buffer.from(word, "base64url").toString();
    // Other texts are not base64url, or not of UTF-8.
    if (base64(name) !== word || names.has(name) || entries.length === 0) return undefined;
    names.add(name);
    for (const entry of entries) {
      const [part, offset] = decodeEntry(name, entry) ?? [];
      if (part === undefined || offset === undefined || positions.has(part)) return undefined;
      positions.set(part, offset);
    }
  }
  return positions;
}

function decodeEntry(name: string, entry: string): readonly [part: string, offset: bigint] | undefined {
  const numbers = entry.split(numberEnd);
  if (numbers.length > 2 || !numbers.every((each) => decimal.test(each))) return undefined;
  const [last = "", number] = numbers.toReversed();
  const part = number === undefined ? name : number + space + name;
  // The encoder would have split a name that begins with a number.
  if (last.length > mostDigits || (number === undefined && splitPart(part).length > 1)) return undefined;
  const offset = BigInt(last);
  return offset > largestOffset ? undefined : [part, offset];
}

/** Whether reading has reached `goal` in each part that `goal` names. */
export function hasReached(positions: Positions, goal: Positions): boolean {
  return [...goal].every(([part, offset]) => (positions.get(part) ?? 0n) >= offset);
}
