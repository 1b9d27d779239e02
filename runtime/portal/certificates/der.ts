// The distinguished encoding rules of ASN.1 (X.690), as far as certificates need them: values of definite length with
// one-byte tags.

/** A decoded value. */
export interface DerValue {
  readonly tag: number;
  /** The value with its tag and length. */
  readonly whole: Buffer;
  readonly content: Buffer;
}

/** Tags of the values in certificates. */
export const der = {
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  identifier: 0x06,
  text: 0x0c,
  shortTime: 0x17,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Returns the tag of a constructed value with a context-specific number, such as `[3]`. */
export function taggedBy(number: number): number {
  return 0xa0 | number;
}

/** Encodes a value with these parts as its content. */
export function encodeDer(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), encodeLength(content.length), content]);
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

/** Encodes an object identifier, such as `2.5.29.15`. */
export function encodeIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const digits = [arc % 128];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128))
      digits.unshift(0x80 | (left % 128));
    return digits;
  });
  return encodeDer(der.identifier, Buffer.from(bytes));
}

/** Encodes a bit string. `unused`: the number of bits at the end that do not count. */
export function encodeBits(bytes: Uint8Array, unused = 0): Buffer {
  return encodeDer(der.bits, Buffer.from([unused]), bytes);
}

/** Encodes a non-negative number. */
export function encodeNumber(bytes: Uint8Array): Buffer {
  const isSigned = ((bytes[0] ?? 0) & 0x80) !== 0;
  return encodeDer(der.integer, Buffer.from(isSigned ? [0] : []), bytes);
}

/** Encodes a time (RFC 5280, section 4.1.2.5): in whole seconds, with a two-digit year until 2049. */
export function encodeTime(time: Date): Buffer {
  const text = time.toISOString().replace(/\.\d+/, "").replace(/[-:T]/g, "");
  const isShort = time.getUTCFullYear() < 2050;
  return encodeDer(isShort ? der.shortTime : der.time, Buffer.from(isShort ? text.slice(2) : text));
}

/** Returns the consecutive values in `bytes`. Throws a `RangeError` if one is truncated or not in this encoding. */
export function readDer(bytes: Buffer): readonly DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes.readUInt8(at);
    if ((tag & 0x1f) === 0x1f) throw new RangeError("a tag of several bytes");
    const { length, begin } = readLength(bytes, at + 1);
    const end = begin + length;
    if (end > bytes.length) throw new RangeError("a value that is cut off");
    values.push({ tag, whole: bytes.subarray(at, end), content: bytes.subarray(begin, end) });
    at = end;
  }
  return values;
}

function readLength(bytes: Buffer, at: number): { readonly length: number; readonly begin: number } {
  const first = bytes.readUInt8(at);
  if (first < 0x80) return { length: first, begin: at + 1 };
  const size = first & 0x7f;
  if (size === 0 || size > 4) throw new RangeError("a length that is not definite, or too long");
  return { length: bytes.readUIntBE(at + 1, size), begin: at + 1 + size };
}
