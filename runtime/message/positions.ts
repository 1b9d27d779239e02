// Places in a source that reading can go back to, and how clients carry them about.

/** Where one message stood: a partition of a topic and its offset, a stream and its sequence. */
export interface PartPosition {
  readonly part: string;
  readonly offset: bigint;
}

/** For each part of a source the next message to read; everything before it has been read. */
export type Positions = ReadonlyMap<string, bigint>;

/** A client's word is read up to this length, which leaves room in the 16 KiB that its headers may have. */
export const mostCharacters = 8192;
/** And for so many parts. */
const mostParts = 4096;

/** Positions as one opaque word of letters, digits, `-` and `_`. */
export function encodePositions(positions: Positions): string {
  const parts = [...positions].map(([part, offset]) => [part, String(offset)]);
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

/** What `encodePositions` made; `undefined` for every other text. */
export function decodePositions(text: string): Positions | undefined {
  if (text === "" || text.length > mostCharacters || !/^[\w-]+$/.test(text)) return undefined;
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch {
    return undefined; // not made here
  }
  if (!Array.isArray(parts) || parts.length > mostParts || !parts.every(isPart)) return undefined;
  return new Map(parts.map(([part, offset]) => [part, BigInt(offset)]));
}

function isPart(value: unknown): value is readonly [string, string] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [part, offset]: readonly unknown[] = value;
  return typeof part === "string" && typeof offset === "string" && /^\d{1,19}$/.test(offset);
}

/** Whether reading has come as far as `goal` in each part that is in it. */
export function hasReached(positions: Positions, goal: Positions): boolean {
  return [...goal].every(([part, offset]) => (positions.get(part) ?? 0n) >= offset);
}
