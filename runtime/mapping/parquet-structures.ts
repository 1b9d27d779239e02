// Checks structures of Parquet files in Thrift's compact protocol (thrift-compact-protocol.md) before the library reads them: it trusts the lengths
// of lists, and reads numbers of any length.

import { MappingError } from "../errors.ts";

const mostDepth = 32;
const longestNumber = 10;

/** Types of the compact protocol. */
const boolTrue = 1;
const boolFalse = 2;
const oneByte = 3;
const i64 = 6;
const double = 7;
const binary = 8;
const list = 9;
const struct = 12;

/** Throws a `MappingError` unless a struct of the size that it claims begins at `start`. */
export function checkStructure(bytes: Uint8Array, start: number): void {
  new Walk(bytes, start).struct(0);
}

class Walk {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.#at = start;
  }

  struct(depth: number): void {
    if (depth > mostDepth) throw corrupt();
    for (;;) {
      const head = this.#byte();
      const type = head & 0x0f;
      if (type === 0) return;
      if (head >> 4 === 0) this.#number();
      if (type !== boolTrue && type !== boolFalse) this.#value(type, depth);
    }
  }

  #value(type: number, depth: number): void {
    if (type === boolTrue || type === boolFalse || type === oneByte) this.#skip(1);
    else if (type <= i64) this.#number();
    else if (type === double) this.#skip(8);
    else if (type === binary) this.#skip(this.#number());
    else if (type === list) this.#list(depth + 1);
    else if (type === struct) this.struct(depth + 1);
    else throw corrupt();
  }

  #list(depth: number): void {
    if (depth > mostDepth) throw corrupt();
    const head = this.#byte();
    const count = head >> 4 === 15 ? this.#number() : head >> 4;
    // Each element takes at least one byte.
    if (count > this.#bytes.length - this.#at) throw corrupt();
    for (let left = count; left > 0; left--) this.#value(head & 0x0f, depth);
  }

  /** Reads a number with seven bits per byte, lowest bits first. */
  #number(): number {
    let value = 0;
    for (let place = 0; place < longestNumber; place++) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** (7 * place);
      if (byte < 0x80) return value;
    }
    throw corrupt();
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw corrupt();
    this.#at++;
    return byte;
  }

  #skip(count: number): void {
    if (count > this.#bytes.length - this.#at) throw corrupt();
    this.#at += count;
  }
}

function corrupt(): MappingError {
  return new MappingError("parquet: a structure of the file is corrupt");
}
