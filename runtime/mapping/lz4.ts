// LZ4 frames (lz4_Frame_format.md 1.6, "General Structure of LZ4 Frame format") and their blocks
// (lz4_Block_format.md, "Compressed block format"). There is no maintained library without native code.

import { MappingError } from "../errors.ts";
import { tooLarge } from "./size-limits.ts";

const magic = 0x184d2204;
const blockSize = 4 * 1024 * 1024;
const uncompressed = 0x80000000;
const prime1 = 0x9e3779b1;
const prime2 = 0x85ebca77;
const prime3 = 0xc2b2ae3d;
const prime4 = 0x27d4eb2f;
const prime5 = 0x165667b1;
/**
 * In bytes: matches must end at least `lastLiterals` before the end of a block, and begin at least `matchMargin` before
 * it.
 */
const lastLiterals = 5;
const matchMargin = 12;
const hashBits = 16;

/** Compresses `bytes` to a frame with independent blocks of 4 MiB and a checksum of the content. */
export function compressLz4(bytes: Uint8Array): Uint8Array {
  const descriptor = Uint8Array.of(0x64, 0x70);
  const parts = [word(magic), descriptor, Uint8Array.of((xxhash32(descriptor) >>> 8) & 0xff)];
  for (let start = 0; start < bytes.length; start += blockSize) {
    const block = bytes.subarray(start, start + blockSize);
    const packed = compressBlock(block);
    if (packed.length < block.length) parts.push(word(packed.length), packed);
    else parts.push(word((block.length | uncompressed) >>> 0), block);
  }
  parts.push(word(0), word(xxhash32(bytes)));
  return Buffer.concat(parts);
}

/** Returns the content of one or more frames, up to `limit` bytes, and verifies their checksums. */
export function decompressLz4(bytes: Uint8Array, limit: number): Uint8Array {
  const contents: Uint8Array[] = [];
  let left = limit;
  for (let at = 0; at < bytes.length; ) {
    const frame = new FrameReader(bytes, at, { left, limit });
    const content = frame.read();
    if (content !== undefined) {
      contents.push(content);
      left -= content.length;
    }
    at = frame.end;
  }
  if (bytes.length === 0) throw new MappingError("EOF");
  return Buffer.concat(contents);
}

/** Compresses to a single block without a frame. */
export function compressLz4Block(bytes: Uint8Array): Uint8Array {
  return compressBlock(bytes);
}

/** Returns the content of a single block without a frame, up to `limit` bytes. */
export function decompressLz4Block(block: Uint8Array, limit: number): Uint8Array {
  const output = new Output({ left: limit, limit });
  decompressBlock(block, output);
  return output.bytes();
}

/** The number of bytes that may still be decompressed, and the limit in total. */
interface Bound {
  readonly left: number;
  readonly limit: number;
}

class FrameReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #bound: Bound;
  /** The end of the frame, once it has been read. */
  end: number;

  constructor(bytes: Uint8Array, start: number, bound: Bound) {
    this.#bytes = bytes;
    this.#bound = bound;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.end = start;
  }

  /** Returns the content of a frame; `undefined` for a skippable frame. */
  read(): Uint8Array | undefined {
    const kind = this.#word();
    if (kind >>> 4 === 0x184d2a5) {
      this.#take(this.#word());
      return undefined;
    }
    if (kind !== magic) throw new MappingError("lz4: bad magic number");
    const start = this.end;
    const flags = this.#take(2)[0] ?? 0;
    if (flags >> 6 !== 1) throw new MappingError("lz4: invalid frame version");
    this.#take((flags & 0x08 ? 8 : 0) + (flags & 0x01 ? 4 : 0));
    const descriptor = this.#bytes.subarray(start, this.end);
    if (this.#take(1)[0] !== ((xxhash32(descriptor) >>> 8) & 0xff))
      throw new MappingError("lz4: invalid header checksum");
    const content = this.#blocks((flags & 0x10) !== 0);
    if (flags & 0x04 && this.#word() !== xxhash32(content))
      throw new MappingError("lz4: invalid frame checksum");
    return content;
  }

  #blocks(checked: boolean): Uint8Array {
    const output = new Output(this.#bound);
    for (let size = this.#word(); size !== 0; size = this.#word()) {
      const block = this.#take(size & 0x7fffffff);
      if (checked && this.#word() !== xxhash32(block)) throw new MappingError("lz4: invalid block checksum");
      if (size >= uncompressed) output.append(block);
      else decompressBlock(block, output);
    }
    return output.bytes();
  }

  #word(): number {
    const at = this.end;
    this.#take(4);
    return this.#view.getUint32(at, true);
  }

  #take(length: number): Uint8Array {
    const start = this.end;
    if (start + length > this.#bytes.length) throw new MappingError("unexpected EOF");
    this.end += length;
    return this.#bytes.subarray(start, this.end);
  }
}

/** A growing buffer that can copy from its own content. */
class Output {
  readonly #bound: Bound;
  #buffer = Buffer.alloc(1024);
  #length = 0;

  constructor(bound: Bound) {
    this.#bound = bound;
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  repeat(offset: number, length: number): void {
    if (offset === 0 || offset > this.#length) throw corrupt();
    this.#reserve(length);
    const end = this.#length + length;
    const start = this.#length - offset;
    // The repeated part may overlap its copy. Each step copies all available bytes, twice as many as the step before.
    while (this.#length < end) {
      const copied = Math.min(this.#length - start, end - this.#length);
      this.#buffer.copyWithin(this.#length, start, start + copied);
      this.#length += copied;
    }
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more > this.#bound.left) throw tooLarge(this.#bound.limit);
    if (this.#length + more <= this.#buffer.length) return;
    const wanted = Math.min(this.#buffer.length * 2, this.#bound.left);
    const larger = Buffer.alloc(Math.max(wanted, this.#length + more));
    larger.set(this.bytes());
    this.#buffer = larger;
  }
}

function decompressBlock(block: Uint8Array, output: Output): void {
  let at = 0;
  const next = () => {
    const byte = block[at++];
    if (byte === undefined) throw corrupt();
    return byte;
  };
  const extended = (start: number) => {
    let length = start;
    if (start !== 15) return length;
    for (let byte = next(); ; byte = next()) {
      length += byte;
      if (byte !== 255) return length;
    }
  };
  while (at < block.length) {
    const token = next();
    const literals = extended(token >> 4);
    if (at + literals > block.length) throw corrupt();
    output.append(block.subarray(at, at + literals));
    at += literals;
    if (at === block.length) return;
    const offset = next() | (next() << 8);
    output.repeat(offset, extended(token & 0x0f) + 4);
  }
}

/** Compresses a block. Finds matches greedily in a table of the last position of each four bytes. */
function compressBlock(block: Uint8Array): Uint8Array {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const table = new Int32Array(1 << hashBits).fill(-1);
  const parts: Uint8Array[] = [];
  let anchor = 0;
  for (let at = 0; at < block.length - matchMargin; ) {
    const four = view.getUint32(at, true);
    const slot = Math.imul(four, prime1) >>> (32 - hashBits);
    const candidate = table[slot] ?? -1;
    table[slot] = at;
    if (candidate < 0 || at - candidate > 0xffff || view.getUint32(candidate, true) !== four) {
      at++;
      continue;
    }
    let length = 4;
    while (at + length < block.length - lastLiterals && block[at + length] === block[candidate + length])
      length++;
    parts.push(sequence(block.subarray(anchor, at), at - candidate, length));
    at += length;
    anchor = at;
  }
  parts.push(sequence(block.subarray(anchor), 0, 0));
  return Buffer.concat(parts);
}

/** Returns literals, followed by a match unless its length is 0. */
function sequence(literals: Uint8Array, offset: number, length: number): Uint8Array {
  const extra = length === 0 ? 0 : length - 4;
  const token = (Math.min(literals.length, 15) << 4) | Math.min(extra, 15);
  const head = [token, ...lengthBytes(literals.length)];
  const tail = length === 0 ? [] : [offset & 0xff, offset >> 8, ...lengthBytes(extra)];
  return Buffer.concat([Uint8Array.from(head), literals, Uint8Array.from(tail)]);
}

function lengthBytes(length: number): number[] {
  if (length < 15) return [];
  const rest = length - 15;
  return [...new Array<number>(Math.floor(rest / 255)).fill(255), rest % 255];
}

function xxhash32(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { length } = bytes;
  let at = 0;
  let hash = prime5;
  if (length >= 16) {
    const lanes = [prime1 + prime2, prime2, 0, -prime1];
    for (; at + 16 <= length; at += 16) {
      for (let lane = 0; lane < 4; lane++) {
        const sum = (lanes[lane] ?? 0) + Math.imul(view.getUint32(at + lane * 4, true), prime2);
        lanes[lane] = Math.imul(rotate(sum, 13), prime1);
      }
    }
    const [a = 0, b = 0, c = 0, d = 0] = lanes;
    hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
  }
  hash = (hash + length) | 0;
  for (; at + 4 <= length; at += 4)
    hash = Math.imul(rotate(hash + Math.imul(view.getUint32(at, true), prime3), 17), prime4);
  for (; at < length; at++) hash = Math.imul(rotate(hash + Math.imul(view.getUint8(at), prime5), 11), prime1);
  hash = Math.imul(hash ^ (hash >>> 15), prime2);
  hash = Math.imul(hash ^ (hash >>> 13), prime3);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}

function word(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function corrupt(): MappingError {
  return new MappingError("lz4: invalid source or destination buffer too short");
}
