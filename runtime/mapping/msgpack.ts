// Decodes and encodes MessagePack. JavaScript libraries do not distinguish integers from whole floats, but the language
// does.

import { MappingError } from "../errors.ts";
import {
  isArray,
  isObject,
  SizedNumber,
  SourceNumber,
  Timestamp,
  Unsigned,
  type Value,
} from "../message/value.ts";
import { compareUtf8, decodeUtf8, encodeUtf8 } from "../text/utf8.ts";
import { pluginBytes } from "./arguments.ts";
import {
  float,
  integer,
  isFloat,
  type Numeric,
  numeric,
  toBigInt,
  toFloat,
  unsignedOfText,
} from "./numeric.ts";
import { textOf } from "./text.ts";

/** The maximum nesting depth, so that no text can exhaust the stack. */
const maxDepth = 1000;

/** `.parse_msgpack()` */
export function parseMsgpack(target: Value, _from: string): Value {
  return new Decoder(pluginBytes(target)).read(0);
}

/**
 * `.format_msgpack()`: writes integers in as few bytes as possible, floats as float64, and keys in the order of their bytes.
 * The reference engine does so with integers of documents, and writes computed ones as int64.
 */
export function formatMsgpack(target: Value, _from: string): Uint8Array {
  const parts: Uint8Array[] = [];
  encode(target, parts);
  return Buffer.concat(parts);
}

/** Returns the uint64 of a document number that is larger than every int64; otherwise `undefined`. */
function unsignedOf(source: Value): Unsigned | undefined {
  return source instanceof SourceNumber ? unsignedOfText(source.toString()) : undefined;
}

class Decoder {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  read(depth: number): Value {
    if (depth > maxDepth) throw new MappingError("msgpack: document is nested too deeply");
    const code = this.#unsigned(1);
    if (code < 0x80) return code;
    if (code < 0x90) return this.#map(code & 0x0f, depth);
    if (code < 0xa0) return this.#array(code & 0x0f, depth);
    if (code < 0xc0) return decodeUtf8(this.#take(code & 0x1f));
    if (code >= 0xe0) return code - 0x100;
    if (code >= 0xd9 && code <= 0xdb) return decodeUtf8(this.#take(this.#unsigned(2 ** (code - 0xd9))));
    if (code >= 0xc4 && code <= 0xc6) return this.#take(this.#unsigned(2 ** (code - 0xc4)));
    if (code >= 0xc7 && code <= 0xc9) return this.#extension(this.#unsigned(2 ** (code - 0xc7)));
    if (code >= 0xd4 && code <= 0xd8) return this.#extension(2 ** (code - 0xd4));
    return this.#fixed(code, depth);
  }

  #fixed(code: number, depth: number): Value {
    switch (code) {
      case 0xc0:
        return null;
      case 0xc2:
      case 0xc3:
        return code === 0xc3;
      case 0xca:
        return new SizedNumber("float32", this.#view.getFloat32(this.#advance(4)));
      case 0xcb:
        return float(this.#view.getFloat64(this.#advance(8)));
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#unsigned(2 ** (code - 0xcc));
      case 0xcf: {
        const value = this.#view.getBigUint64(this.#advance(8));
        return value < 2n ** 63n ? integer(value) : new Unsigned(value);
      }
      case 0xd0:
        return this.#view.getInt8(this.#advance(1));
      case 0xd1:
        return this.#view.getInt16(this.#advance(2));
      case 0xd2:
        return this.#view.getInt32(this.#advance(4));
      case 0xd3:
        return integer(this.#view.getBigInt64(this.#advance(8)));
      case 0xdc:
      case 0xdd:
        return this.#array(this.#unsigned(code === 0xdc ? 2 : 4), depth);
      case 0xde:
      case 0xdf:
        return this.#map(this.#unsigned(code === 0xde ? 2 : 4), depth);
      default:
        throw new MappingError(`msgpack: unknown code ${code.toString(16)} decoding interface{}`);
    }
  }

  #array(length: number, depth: number): Value {
    const items: Value[] = [];
    for (let index = 0; index < length; index++) items.push(this.read(depth + 1));
    return items;
  }

  #map(length: number, depth: number): Value {
    const entries: [string, Value][] = [];
    for (let index = 0; index < length; index++) {
      entries.push([this.#key(), this.read(depth + 1)]);
    }
    return Object.fromEntries(entries);
  }

  /** Reads a key, which must be text, bytes or null. Null becomes an empty text. */
  #key(): string {
    const code = this.#bytes[this.#at];
    const key = code === undefined || isKey(code) ? this.read(0) : undefined;
    if (key === null) return "";
    if (typeof key === "string" || key instanceof Uint8Array) return textOf(key);
    throw new MappingError(`msgpack: invalid code=${code?.toString(16)} decoding string/bytes length`);
  }

  #extension(length: number): Value {
    const type = this.#view.getInt8(this.#advance(1));
    const at = this.#advance(length);
    if (type !== -1) throw new MappingError(`msgpack: unknown ext id=${type}`);
    if (length === 4) return new Timestamp(BigInt(this.#view.getUint32(at)), 0, "UTC");
    if (length === 8) {
      const packed = this.#view.getBigUint64(at);
      return new Timestamp(packed & 0x3ffffffffn, Number(packed >> 34n), "UTC");
    }
    if (length === 12) return new Timestamp(this.#view.getBigInt64(at + 4), this.#view.getUint32(at), "UTC");
    throw new MappingError(`msgpack: invalid ext len=${length} decoding time`);
  }

  #unsigned(size: number): number {
    const at = this.#advance(size);
    if (size === 1) return this.#view.getUint8(at);
    return size === 2 ? this.#view.getUint16(at) : this.#view.getUint32(at);
  }

  #take(length: number): Uint8Array {
    const at = this.#advance(length);
    return this.#bytes.slice(at, at + length);
  }

  #advance(length: number): number {
    const at = this.#at;
    if (at + length > this.#bytes.length)
      throw new MappingError(at === this.#bytes.length ? "EOF" : "unexpected EOF");
    this.#at += length;
    return at;
  }
}

/** Whether a value with this code can be a key: text, bytes or null. */
function isKey(code: number): boolean {
  if (code >= 0xa0 && code <= 0xc0) return true;
  return (code >= 0xc4 && code <= 0xc6) || (code >= 0xd9 && code <= 0xdb);
}

function encode(value: Value, parts: Uint8Array[]): void {
  const number = numeric(value);
  if (typeof value === "string") encodeText(encodeUtf8(value), parts);
  else if (typeof value === "boolean") parts.push(Uint8Array.of(value ? 0xc3 : 0xc2));
  else if (value instanceof SizedNumber) parts.push(sizedBytes(value));
  else if (number !== undefined) parts.push(numberBytes(unsignedOf(value) ?? number));
  else if (value instanceof SourceNumber)
    throw new MappingError(`unable to parse ${value} neither as int nor as float`);
  else if (value instanceof Uint8Array) encodeBytes(value, parts);
  else if (value instanceof Timestamp) encodeTimestamp(value, parts);
  else if (isArray(value)) {
    parts.push(value.length < 16 ? Uint8Array.of(0x90 | value.length) : sized(0xdc, value.length));
    for (const item of value) encode(item, parts);
  } else if (isObject(value)) {
    const keys = Object.keys(value).sort(compareUtf8);
    parts.push(keys.length < 16 ? Uint8Array.of(0x80 | keys.length) : sized(0xde, keys.length));
    for (const key of keys) {
      encodeText(encodeUtf8(key), parts);
      encode(value[key] ?? null, parts);
    }
  } else parts.push(Uint8Array.of(0xc0));
}

function numberBytes(number: Numeric): Uint8Array {
  if (isFloat(number)) {
    const bytes = Buffer.alloc(9, 0xcb);
    bytes.writeDoubleBE(toFloat(number), 1);
    return bytes;
  }
  const value = toBigInt(number);
  if (value >= -32n && value < 128n) return Uint8Array.of(Number(BigInt.asUintN(8, value)));
  const isNegative = value < 0n;
  const size = [1, 2, 4].find((bytes) => {
    const bits = BigInt(8 * bytes);
    return isNegative ? value >= -(2n ** (bits - 1n)) : value < 2n ** bits;
  });
  const length = size ?? 8;
  const bytes = Buffer.alloc(9, (isNegative ? 0xd0 : 0xcc) + Math.log2(length));
  bytes.writeBigUInt64BE(BigInt.asUintN(64, value << BigInt(8 * (8 - length))), 1);
  return bytes.subarray(0, length + 1);
}

/** Numbers of smaller types keep their type. */
function sizedBytes(number: SizedNumber): Uint8Array {
  const kind = number.numericKind();
  if (kind === "float32") {
    const bytes = Buffer.alloc(5, 0xca);
    bytes.writeFloatBE(number.valueOf(), 1);
    return bytes;
  }
  const size = Number(kind.replace(/^u?int/, "")) / 8;
  const bytes = Buffer.alloc(size + 1, (kind.startsWith("u") ? 0xcc : 0xd0) + Math.log2(size));
  bytes.writeUIntBE(number.valueOf() < 0 ? number.valueOf() + 2 ** (8 * size) : number.valueOf(), 1, size);
  return bytes;
}

function encodeBytes(bytes: Uint8Array, parts: Uint8Array[]): void {
  const code = bytes.length < 0x100 ? 0xc4 : bytes.length < 0x10000 ? 0xc5 : 0xc6;
  parts.push(lead(code, bytes.length, 2 ** (code - 0xc4)), bytes);
}

function encodeText(bytes: Uint8Array, parts: Uint8Array[]): void {
  const { length } = bytes;
  const code = length < 0x100 ? 0xd9 : length < 0x10000 ? 0xda : 0xdb;
  parts.push(length < 32 ? Uint8Array.of(0xa0 | length) : lead(code, length, 2 ** (code - 0xd9)), bytes);
}

/** Writes a timestamp in the shortest of its three formats. */
function encodeTimestamp(value: Timestamp, parts: Uint8Array[]): void {
  const [seconds, nanoseconds] = [value.seconds(), value.nanoseconds()];
  const fits = seconds >= 0n && seconds < 2n ** 34n;
  const size = !fits ? 12 : nanoseconds === 0 && seconds < 2n ** 32n ? 4 : 8;
  const bytes = Buffer.alloc(size);
  if (size === 4) bytes.writeUInt32BE(Number(seconds));
  else if (size === 8) bytes.writeBigUInt64BE((BigInt(nanoseconds) << 34n) | seconds);
  else {
    bytes.writeUInt32BE(nanoseconds);
    bytes.writeBigInt64BE(seconds, 4);
  }
  const head = size === 12 ? [0xc7, 12] : [size === 4 ? 0xd6 : 0xd7];
  parts.push(Uint8Array.of(...head, 0xff), bytes);
}

function sized(code: number, length: number): Uint8Array {
  return length < 0x10000 ? lead(code, length, 2) : lead(code + 1, length, 4);
}

function lead(code: number, length: number, size: number): Uint8Array {
  const bytes = Buffer.alloc(size + 1);
  bytes[0] = code;
  bytes.writeUIntBE(length, 1, size);
  return bytes;
}
