// The header blocks of entries in a tar archive (POSIX.1-2001, pax, "ustar Interchange Format").

import { MappingError } from "../../errors.ts";

/** The block size in bytes. Everything in a tar archive takes up whole blocks. */
export const blockSize = 512;

/** The header of an entry. */
export interface TarHeader {
  /** Bytes, because the encoding of names is not specified. */
  readonly name: Uint8Array;
  /** `0` for a file, `x` and `g` for additional properties, `L` for a long name, `5` for a folder. */
  readonly type: string;
  readonly size: number;
}

/** The start and the length of each field. */
const fields = {
  name: [0, 100],
  mode: [100, 8],
  owner: [108, 8],
  group: [116, 8],
  size: [124, 12],
  modified: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
  prefix: [345, 155],
} as const;

type FieldName = keyof typeof fields;

/** Returns the header of an entry. A name that is too long is cut off. */
export function writeHeader(header: TarHeader & { readonly modified: number }): Uint8Array {
  const block = Buffer.alloc(blockSize);
  const put = (name: FieldName, value: string | Uint8Array): void => {
    const [start, length] = fields[name];
    block.set(Buffer.from(value).subarray(0, length), start);
  };
  put("name", header.name);
  put("mode", "0000666\0");
  put("owner", "0000000\0");
  put("group", "0000000\0");
  put("size", `${header.size.toString(8).padStart(11, "0")}\0`);
  put("modified", `${header.modified.toString(8).padStart(11, "0")}\0`);
  put("type", header.type);
  put("magic", "ustar\x0000");
  put("checksum", `${checksum(block).toString(8).padStart(6, "0")}\0 `);
  return block;
}

/** Reads the header in a block. Throws if it is not valid. */
export function readHeader(block: Uint8Array): TarHeader {
  const at = (name: FieldName): Uint8Array => {
    const [start, length] = fields[name];
    return block.subarray(start, start + length);
  };
  if (readNumber(at("checksum")) !== checksum(block)) throw broken("a header does not fit its checksum");
  const name = untilZero(at("name"));
  const prefix = isPosix(at("magic")) ? untilZero(at("prefix")) : new Uint8Array();
  return {
    name: prefix.length === 0 ? name : Buffer.concat([prefix, Uint8Array.of(0x2f), name]),
    type: String.fromCharCode(at("type")[0] ?? 0),
    size: readNumber(at("size")),
  };
}

/** Returns the content, padded with zeros to the end of its last block. */
export function padded(content: Uint8Array): Uint8Array {
  const over = content.length % blockSize;
  return over === 0 ? content : Buffer.concat([content, new Uint8Array(blockSize - over)]);
}

/**
 * Returns the error for an invalid archive. `reason` is for callers; `reference`, in the words of the reference engine, for
 * documents.
 */
export function broken(reason: string, reference = "archive/tar: invalid tar header"): MappingError {
  return new MappingError(reference, `failed to unarchive tar: ${reason}`);
}

/** Returns the error for an archive with content that is not supported. */
export function notSupported(what: string): MappingError {
  return broken(`it holds ${what}, which is not supported`, `archive/tar: ${what} is not supported`);
}

/** Returns the bytes of a field up to the first zero, if it has one. */
export function untilZero(field: Uint8Array): Uint8Array {
  const end = field.indexOf(0);
  return end < 0 ? field : field.subarray(0, end);
}

/** Whether a header is POSIX. GNU headers store other data in the field for the beginning of the name. */
function isPosix(magic: Uint8Array): boolean {
  return Buffer.from(magic.subarray(0, 6)).toString("latin1") === "ustar\0";
}

/** Returns the sum of all bytes, with the checksum field counted as spaces. */
function checksum(block: Uint8Array): number {
  const [start, length] = fields.checksum;
  return block.reduce(
    (sum, byte, index) => sum + (index >= start && index < start + length ? 0x20 : byte),
    0,
  );
}

/** Reads octal digits, or a binary number if the first bit is set. */
function readNumber(field: Uint8Array): number {
  const [first = 0] = field;
  if (first & 0x80) {
    const number = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, first & 0x7f);
    if (Number.isSafeInteger(number)) return number;
    throw broken("a number in a header is too large");
  }
  const text = Buffer.from(untilZero(field)).toString("latin1").trim();
  if (!/^[0-7]*$/.test(text)) throw broken("a number in a header is invalid");
  return text === "" ? 0 : Number.parseInt(text, 8);
}
