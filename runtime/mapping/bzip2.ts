// Decompresses bzip2. https://sourceware.org/bzip2/ has the program that defines it, and
// https://github.com/dsnet/compress/blob/master/doc/bzip2-format.pdf describes the format.
//
// A stream consists of blocks of at most 900,000 bytes. Each block was run-length encoded, sorted (Burrows-Wheeler
// transform), turned into distances (move to front), and written with two to six Huffman codes that alternate every 50
// symbols.

import { crc32 } from "node:zlib";
import { MappingError } from "../errors.ts";
import { tooLarge } from "./size-limits.ts";

const longestCode = 20;
const turn = 50;
const [blockMagic, endMagic] = [0x314159265359, 0x177245385090];

const broken = (what: string) => new MappingError(`bzip2: ${what}`);

/** Returns an error for data that the reference engine reports as invalid. */
const invalid = (what: string) => new MappingError(`bzip2 data invalid: ${what}`);

/** Reads bits, most significant bit of each byte first. */
class Bits {
  readonly #bytes: Uint8Array;
  #at = 0;
  #held = 0;
  #count = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Returns the next `count` bits, at most 24, without consuming them. After the end, the bits are zero. */
  peek(count: number): number {
    while (this.#count < count) {
      this.#held = (this.#held << 8) | (this.#bytes[this.#at++] ?? 0);
      this.#count += 8;
    }
    return (this.#held >>> (this.#count - count)) & ((1 << count) - 1);
  }

  /** Consumes `count` bits that `peek` has returned. */
  skip(count: number): void {
    this.#count -= count;
    if (this.#at * 8 - this.#count > this.#bytes.length * 8) throw new MappingError("unexpected EOF");
  }

  read(count: number): number {
    const value = this.peek(count);
    this.skip(count);
    return value;
  }

  readLong(): number {
    return this.read(16) * 0x1_0000 + this.read(16);
  }

  /** Advances to the next whole byte. Returns whether there is one. */
  align(): boolean {
    this.#count -= this.#count % 8;
    return this.#at - this.#count / 8 < this.#bytes.length;
  }
}

/** A Huffman code: the symbols in the order of their codes, and for each length how to find the symbol of a code. */
interface Code {
  readonly symbols: Uint16Array;
  /** For each length, the greatest `longestCode` bits that begin with a code of that length. */
  readonly last: Int32Array;
  /** For each length, the number to add to a code to get its index in `symbols`. */
  readonly offset: Int32Array;
}

function codeOf(lengths: Uint8Array): Code {
  const symbols = new Uint16Array(lengths.length);
  const last = new Int32Array(longestCode + 1).fill(-1);
  const offset = new Int32Array(longestCode + 1);
  const counts = new Uint16Array(longestCode + 1);
  for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1;
  const places = new Uint16Array(longestCode + 1);
  let first = 0;
  let place = 0;
  for (let length = 1; length <= longestCode; length += 1) {
    const count = counts[length] ?? 0;
    places[length] = place;
    offset[length] = place - first;
    last[length] = ((first + count) << (longestCode - length)) - 1;
    place += count;
    first = (first + count) << 1;
  }
  for (const [symbol, length] of lengths.entries()) {
    const at = places[length] ?? 0;
    symbols[at] = symbol;
    places[length] = at + 1;
  }
  return { symbols, last, offset };
}

function readSymbol(bits: Bits, { symbols, last, offset }: Code): number {
  const ahead = bits.peek(longestCode);
  let length = 1;
  while (length <= longestCode && ahead > (last[length] ?? 0)) length += 1;
  if (length > longestCode) throw broken("a code is not in the block");
  bits.skip(length);
  return symbols[(ahead >>> (longestCode - length)) + (offset[length] ?? 0)] ?? 0;
}

/** Moves the value at `index` to the front and returns it. */
function moveToFront(values: Uint8Array, index: number): number {
  const value = values[index] ?? 0;
  values.copyWithin(1, 0, index);
  values[0] = value;
  return value;
}

/** Returns the byte values that occur in a block. */
function readAlphabet(bits: Bits): Uint8Array {
  const rows = bits.read(16);
  const found: number[] = [];
  for (let row = 0; row < 16; row += 1) {
    if ((rows & (0x8000 >>> row)) === 0) continue;
    const columns = bits.read(16);
    for (let column = 0; column < 16; column += 1) {
      if ((columns & (0x8000 >>> column)) !== 0) found.push(row * 16 + column);
    }
  }
  if (found.length === 0) throw broken("a block has no bytes");
  return Uint8Array.from(found);
}

/** Returns the index of the code for each group of symbols. */
function readSelectors(bits: Bits, codes: number): Uint8Array {
  const selectors = new Uint8Array(bits.read(15));
  if (selectors.length === 0) throw broken("a block has no codes");
  const order = Uint8Array.from({ length: codes }, (_, code) => code);
  for (let at = 0; at < selectors.length; at += 1) {
    let index = 0;
    while (bits.read(1) === 1) index += 1;
    if (index >= codes) throw broken("a block has no such code");
    selectors[at] = moveToFront(order, index);
  }
  return selectors;
}

/** Reads a code, written as the length of the first symbol's code and the difference to each next length. */
function readCode(bits: Bits, symbols: number): Code {
  const lengths = new Uint8Array(symbols);
  let length = bits.read(5);
  for (let symbol = 0; symbol < symbols; symbol += 1) {
    while (bits.read(1) === 1) length += bits.read(1) === 0 ? 1 : -1;
    if (length < 1 || length > longestCode) throw broken("a code is too long");
    lengths[symbol] = length;
  }
  return codeOf(lengths);
}

/** Each byte with its bits reversed: the checksum of `node:zlib` is the one of bzip2 for bits in that order. */
const reversed = Uint8Array.from({ length: 256 }, (_, byte) => {
  let result = 0;
  for (let bit = 0; bit < 8; bit += 1) result |= ((byte >>> bit) & 1) << (7 - bit);
  return result;
});

/**
 * Limits of the bytes in all blocks: a base, and more for each byte of the message. The blocks cost the time, not the
 * content.
 */
const leastHeld = 16 * 1024 * 1024;
const heldPerByte = 256;

class Unpacking {
  readonly #bits: Bits;
  readonly #limit: number;
  readonly #mostHeld: number;
  /**
   * A block: each byte, and in the upper bits the index of the next one. It grows with the blocks, so small ones stay
   * cheap.
   */
  #block = new Int32Array(1024);
  #content: Uint8Array;
  #length = 0;
  /** The number of bytes in the blocks so far. Encoded runs may be longer than their content. */
  #blocks = 0;
  readonly #part = new Uint8Array(65_536);

  constructor(bytes: Uint8Array, limit: number) {
    this.#bits = new Bits(bytes);
    this.#limit = limit;
    this.#mostHeld = leastHeld + heldPerByte * bytes.length;
    this.#content = new Uint8Array(Math.min(limit, Math.max(bytes.length * 4, 1024)));
  }

  /** Decompresses all concatenated streams. */
  unpack(): Uint8Array {
    do this.#unpackStream();
    while (this.#bits.align());
    return this.#content.subarray(0, this.#length);
  }

  #unpackStream(): void {
    const bits = this.#bits;
    if (bits.read(16) !== 0x425a) throw invalid("bad magic value");
    if (bits.read(8) !== 0x68) throw invalid("non-Huffman entropy encoding");
    const level = bits.read(8) - 0x30;
    if (level < 1 || level > 9) throw invalid("invalid compression level");
    let checksum = 0;
    for (;;) {
      const magic = bits.read(24) * 0x100_0000 + bits.read(24);
      if (magic !== endMagic && magic !== blockMagic) throw invalid("bad magic value found");
      const expected = bits.readLong();
      if (magic === endMagic) {
        if (expected !== checksum) throw broken("the content does not fit its checksum");
        return;
      }
      const start = this.#length;
      this.#unpackBlock(level * 100_000);
      if (this.#checksumFrom(start) !== expected) throw broken("a block does not fit its checksum");
      checksum = (((checksum << 1) | (checksum >>> 31)) ^ expected) >>> 0;
    }
  }

  #unpackBlock(most: number): void {
    const bits = this.#bits;
    if (bits.read(1) === 1) throw broken("blocks of versions before 0.9.5 are not read");
    const origin = bits.read(24);
    const alphabet = readAlphabet(bits);
    const codes = bits.read(3);
    if (codes < 2 || codes > 6) throw broken("a block has fewer than 2 or more than 6 codes");
    const selectors = readSelectors(bits, codes);
    const table = Array.from({ length: codes }, () => readCode(bits, alphabet.length + 2));
    const ends = new Uint32Array(256);
    const count = this.#readSymbols(alphabet, selectors, table, ends, most);
    if (origin >= count) throw broken("a block begins beyond its end");
    this.#blocks += count;
    if (this.#blocks > this.#limit) throw tooLarge(this.#limit);
    if (this.#blocks > this.#mostHeld)
      throw broken(`the blocks hold more than the ${this.#mostHeld} bytes that a message of this size may`);
    this.#sortBack(ends, count);
    this.#writeRuns(origin, count);
  }

  /** Fills the block and counts the occurrences of each byte in `counts`. Returns the number of all bytes. */
  #readSymbols(
    alphabet: Uint8Array,
    selectors: Uint8Array,
    table: readonly Code[],
    counts: Uint32Array,
    most: number,
  ): number {
    const end = alphabet.length + 1;
    let count = 0;
    let repeats = 0;
    let weight = 1;
    for (let read = 0; ; read += 1) {
      const code = table[selectors[Math.floor(read / turn)] ?? table.length];
      if (code === undefined) throw broken("a block has more symbols than its codes are for");
      const symbol = readSymbol(this.#bits, code);
      if (symbol < 2) {
        // A number whose digits are 1 and 2: how often the last byte is repeated.
        repeats += weight << symbol;
        weight *= 2;
        if (count + repeats > most) throw broken("a block is larger than its stream says");
        continue;
      }
      if (repeats > 0) {
        const byte = alphabet[0] ?? 0;
        this.#reserveBlock(count + repeats, most);
        this.#block.fill(byte, count, count + repeats);
        counts[byte] = (counts[byte] ?? 0) + repeats;
        count += repeats;
        repeats = 0;
        weight = 1;
      }
      if (symbol === end) return count;
      if (count === most) throw broken("a block is larger than its stream says");
      const byte = moveToFront(alphabet, symbol - 1);
      this.#reserveBlock(count + 1, most);
      this.#block[count++] = byte;
      counts[byte] = (counts[byte] ?? 0) + 1;
    }
  }

  #reserveBlock(count: number, most: number): void {
    if (count <= this.#block.length) return;
    const larger = new Int32Array(Math.min(Math.max(count, this.#block.length * 2), Math.max(count, most)));
    larger.set(this.#block);
    this.#block = larger;
  }

  /** Inverts the sorting: stores the index of the next byte above each byte. */
  #sortBack(counts: Uint32Array, count: number): void {
    const block = this.#block;
    let sum = 0;
    for (let byte = 0; byte < 256; byte += 1) {
      const own = counts[byte] ?? 0;
      counts[byte] = sum;
      sum += own;
    }
    for (let at = 0; at < count; at += 1) {
      const byte = (block[at] ?? 0) & 0xff;
      const place = counts[byte] ?? 0;
      counts[byte] = place + 1;
      block[place] = (block[place] ?? 0) | (at << 8);
    }
  }

  /** Expands runs: after four equal bytes, the next byte is the number of further repetitions. */
  #writeRuns(origin: number, count: number): void {
    const block = this.#block;
    let at = (block[origin] ?? 0) >>> 8;
    let last = -1;
    let run = 0;
    let content = this.#content;
    let length = this.#length;
    for (let left = count; left > 0; left -= 1) {
      const entry = block[at] ?? 0;
      const byte = entry & 0xff;
      at = entry >>> 8;
      if (run === 4) {
        if (length + byte > content.length) content = this.#reserveContent(length, byte);
        for (let more = byte; more > 0; more -= 1) content[length++] = last;
        run = 0;
        continue;
      }
      if (length === content.length) content = this.#reserveContent(length, 1);
      content[length++] = byte;
      run = run > 0 && byte === last ? run + 1 : 1;
      last = byte;
    }
    this.#length = length;
  }

  /** Returns a buffer with the first `length` bytes of the content and room for `more` bytes. */
  #reserveContent(length: number, more: number): Uint8Array {
    const needed = length + more;
    if (needed > this.#limit) throw tooLarge(this.#limit);
    const larger = new Uint8Array(Math.min(this.#limit, Math.max(needed, this.#content.length * 2)));
    larger.set(this.#content);
    this.#content = larger;
    return larger;
  }

  #checksumFrom(start: number): number {
    let checksum = 0;
    for (let from = start; from < this.#length; from += this.#part.length) {
      const bytes = this.#content.subarray(from, Math.min(from + this.#part.length, this.#length));
      for (let at = 0; at < bytes.length; at += 1) this.#part[at] = reversed[bytes[at] ?? 0] ?? 0;
      checksum = crc32(this.#part.subarray(0, bytes.length), checksum);
    }
    let result = 0;
    for (let shift = 0; shift < 32; shift += 8) {
      result = (result << 8) | (reversed[(checksum >>> shift) & 0xff] ?? 0);
    }
    return result >>> 0;
  }
}

/**
 * Returns the content of all concatenated streams, up to `limit` bytes.
 *
 * @throws MappingError if the content or a block is larger than `limit`, if the blocks hold more than 16 MiB plus 256
 * bytes for each byte of the message, or if the bytes are not bzip2.
 */
export function unpackBzip2(bytes: Uint8Array, limit: number): Uint8Array {
  return new Unpacking(bytes, limit).unpack();
}
