// Reads and writes Avro's binary encoding (Avro 1.11, "Binary Encoding"), with limits for reading.

import { MappingError } from "../../errors.ts";
import { integer } from "../../mapping/numeric.ts";

/** The maximum nesting of values: more than documents have, less than the stack holds. */
const mostDepth = 500;
/**
 * The maximum number of elements and fields without bytes: few bytes and the schema of a file can claim any number of
 * them.
 */
const mostEmptyElements = 500_000;

/** Reads one message. Throws `MappingError`s. */
export class AvroReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at: number;
  #elements = 0;
  #depth = 0;

  constructor(bytes: Uint8Array, start = 0) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = start;
  }

  byte(): number {
    return this.#bytes[this.#advance(1)] ?? 0;
  }

  /** Returns the next `length` bytes, as a slice of the message. */
  take(length: number | bigint): Uint8Array {
    const count = Number(length);
    if (count < 0) throw new MappingError(`avro: negative length ${count}`);
    const start = this.#advance(count);
    return this.#bytes.subarray(start, start + count);
  }

  /** Reads a zigzag-encoded variable-length integer. */
  long(): number | bigint {
    let [low, shift] = [0, 0];
    for (;;) {
      const byte = this.byte();
      if (shift < 28) low |= (byte & 0x7f) << shift;
      else return this.#longRest(BigInt(low), BigInt(shift), byte);
      shift += 7;
      if (byte < 0x80) return (low >>> 1) ^ -(low & 1);
    }
  }

  #longRest(low: bigint, start: bigint, first: number): number | bigint {
    let [value, shift, byte] = [low, start, first];
    for (;;) {
      value |= BigInt(byte & 0x7f) << shift;
      shift += 7n;
      if (byte < 0x80) break;
      if (shift > 63n) throw new MappingError("avro: a number is longer than 64 bits");
      byte = this.byte();
    }
    const unsigned = BigInt.asUintN(64, value);
    return integer((unsigned >> 1n) ^ -(unsigned & 1n));
  }

  float(): number {
    return this.#view.getFloat32(this.#advance(4), true);
  }

  double(): number {
    return this.#view.getFloat64(this.#advance(8), true);
  }

  /** Calls `readElement` for each element in the blocks of an array or a map. */
  blocks(readElement: () => void): void {
    for (let count = Number(this.long()); count !== 0; count = Number(this.long())) {
      // After a negative count comes the size of the block in bytes.
      if (count < 0) this.long();
      for (let left = Math.abs(count); left > 0; left--) {
        this.count(1);
        readElement();
      }
    }
  }

  /** Counts values. Throws a `MappingError` if there are far more values than bytes. */
  count(values: number): void {
    this.#elements += values;
    if (this.#elements > this.#bytes.length + mostEmptyElements)
      throw new MappingError("avro: the message has more elements than bytes");
  }

  /** Reads the content of a value one level deeper. Throws a `MappingError` if values are nested too deep. */
  within<T>(read: () => T): T {
    if (++this.#depth > mostDepth) throw new MappingError("avro: values are nested too deeply");
    const value = read();
    this.#depth--;
    return value;
  }

  #advance(count: number): number {
    const start = this.#at;
    if (!(count <= this.#bytes.length - start)) throw new MappingError("avro: the message ends too early");
    this.#at += count;
    return start;
  }
}

/** Collects the bytes of one message. */
export class AvroWriter {
  readonly #parts: Uint8Array[] = [];

  bytes(): Uint8Array {
    return Buffer.concat(this.#parts);
  }

  put(bytes: Uint8Array): void {
    this.#parts.push(bytes);
  }

  long(value: number | bigint): void {
    const signed = BigInt(value);
    let rest = BigInt.asUintN(64, (signed << 1n) ^ (signed >> 63n));
    const bytes: number[] = [];
    for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    bytes.push(Number(rest));
    this.put(Uint8Array.from(bytes));
  }

  float(value: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(value);
    this.put(bytes);
  }

  double(value: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    this.put(bytes);
  }

  /** Writes the number of bytes, then the bytes. */
  counted(bytes: Uint8Array): void {
    this.long(bytes.length);
    this.put(bytes);
  }
}
