// Avro types that contain no others (Avro 1.11, "Primitive Types").

import { MappingError } from "../../errors.ts";
import { float, isFloat, numeric, toBigInt, toFloat } from "../../mapping/numeric.ts";
import { printScalar } from "../../message/json-print.ts";
import { SizedNumber, type Value } from "../../message/value.ts";
import { decodeUtf8, encodeUtf8 } from "../../text/utf8.ts";
import { type AvroType, bytesOfJson, mismatch, quoteBytes, quoteText } from "./type.ts";

const nullType: AvroType = {
  name: "null",
  read: () => null,
  write: (value) => void requireNull(value),
  fromJson: requireNull,
  toJson: (value) => String(requireNull(value)),
  schema: () => ({ type: "null" }),
  accepts: (value) => value === null,
};

function requireNull(value: Value): null {
  if (value !== null) throw mismatch("null", "null", value);
  return null;
}

const booleanType: AvroType = {
  name: "boolean",
  read(reader) {
    const byte = reader.byte();
    if (byte > 1) throw new MappingError(`avro: boolean expects the byte 0 or 1, got ${byte}`);
    return byte === 1;
  },
  write: (value, writer) => writer.put(Uint8Array.of(requireBoolean(value) ? 1 : 0)),
  fromJson: requireBoolean,
  toJson: (value) => String(requireBoolean(value)),
  schema: () => ({ type: "boolean" }),
  accepts: (value) => typeof value === "boolean",
};

function requireBoolean(value: Value): boolean {
  if (typeof value !== "boolean") throw mismatch("boolean", "a boolean", value);
  return value;
}

/** Returns `value` as an integer of `bits` bits. Throws if that loses information. */
export function wholeNumber(name: string, bits: 32 | 64, value: Value): bigint {
  const number = numeric(value);
  if (number === undefined) throw mismatch(name, "a whole number", value);
  if (isFloat(number) && !Number.isInteger(toFloat(number))) throw mismatch(name, "a whole number", value);
  const whole = isFloat(number) ? BigInt(toFloat(number)) : toBigInt(number);
  if (BigInt.asIntN(bits, whole) !== whole) throw mismatch(name, `a whole number of ${bits} bits`, value);
  return whole;
}

function wholeType(name: "int" | "long", bits: 32 | 64): AvroType {
  const small = (whole: bigint) => (Number.isSafeInteger(Number(whole)) ? Number(whole) : whole);
  return {
    name,
    read(reader) {
      const value = reader.long();
      if (bits === 32 && value !== Number(BigInt.asIntN(32, BigInt(value))))
        throw new MappingError(`avro: int expects a whole number of 32 bits, got ${value}`);
      return value;
    },
    write: (value, writer) => writer.long(wholeNumber(name, bits, value)),
    fromJson: (json) => small(wholeNumber(name, bits, json)),
    toJson: (value) => String(wholeNumber(name, bits, value)),
    schema: () => ({ type: "integer" }),
    accepts(value) {
      const number = numeric(value);
      if (number === undefined || (isFloat(number) && !Number.isInteger(toFloat(number)))) return false;
      const whole = isFloat(number) ? BigInt(toFloat(number)) : toBigInt(number);
      return BigInt.asIntN(bits, whole) === whole;
    },
  };
}

function requireNumber(name: string, value: Value): number {
  const number = numeric(value);
  if (number === undefined) throw mismatch(name, "a number", value);
  return toFloat(number);
}

function floatType(name: "float" | "double"): AvroType {
  const isFloat32 = name === "float";
  const sizedOf = (number: number) =>
    isFloat32 ? new SizedNumber("float32", Math.fround(number)) : float(number);
  return {
    name,
    read: (reader) => sizedOf(isFloat32 ? reader.float() : reader.double()),
    write(value, writer) {
      const number = requireNumber(name, value);
      if (isFloat32) writer.float(number);
      else writer.double(number);
    },
    fromJson: (json) => sizedOf(requireNumber(name, json)),
    toJson(value) {
      const number = requireNumber(name, value);
      if (!Number.isFinite(number)) throw new MappingError(`avro: JSON has no ${number}`);
      return printScalar(sizedOf(number));
    },
    schema: () => ({ type: "number" }),
    accepts: (value) => numeric(value) !== undefined,
  };
}

/** Returns the bytes of a value of the type `bytes` or `fixed`. A text stands for its UTF-8. */
export function requireBytes(name: string, value: Value): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (typeof value !== "string") throw mismatch(name, "bytes or a text", value);
  return encodeUtf8(value);
}

/** Byte sequences of any length. */
const bytesType: AvroType = {
  name: "bytes",
  read: (reader) => reader.take(reader.long()),
  write: (value, writer) => writer.counted(requireBytes("bytes", value)),
  fromJson(json) {
    if (typeof json !== "string") throw mismatch("bytes", "a text", json);
    return bytesOfJson(json);
  },
  toJson: (value) => quoteBytes(requireBytes("bytes", value)),
  schema: () => ({ type: "string" }),
  accepts: (value) => value instanceof Uint8Array || typeof value === "string",
};

const stringType: AvroType = {
  name: "string",
  read: (reader) => decodeUtf8(reader.take(reader.long())),
  write: (value, writer) => writer.counted(requireBytes("string", value)),
  fromJson(json) {
    if (typeof json !== "string") throw mismatch("string", "a text", json);
    return json;
  },
  toJson: (value) => quoteText(decodeUtf8(requireBytes("string", value))),
  schema: () => ({ type: "string" }),
  accepts: (value) => typeof value === "string",
};

/** The primitive types by name. */
export const primitives: ReadonlyMap<string, AvroType> = /* @__PURE__ */ new Map(
  [
    nullType,
    booleanType,
    wholeType("int", 32),
    wholeType("long", 64),
    floatType("float"),
    floatType("double"),
    bytesType,
    stringType,
  ].map((type) => [type.name, type]),
);

/** Returns the type of byte sequences with a fixed length. */
export function fixedType(name: string, size: number): AvroType {
  const require = (value: Value) => {
    const bytes = requireBytes(`fixed \`${name}\``, value);
    if (bytes.length !== size)
      throw new MappingError(`avro: fixed \`${name}\` expects ${size} bytes, got ${bytes.length}`);
    return bytes;
  };
  return {
    name,
    read: (reader) => reader.take(size),
    write: (value, writer) => writer.put(require(value)),
    fromJson: (json) => require(bytesType.fromJson(json)),
    toJson: (value) => quoteBytes(require(value)),
    schema: () => ({ type: "string" }),
    accepts: (value) => value instanceof Uint8Array || typeof value === "string",
  };
}

/** Returns a type of bytes whose values are texts with one character for each byte, as in Avro's JSON encoding. */
export function asCharacters(type: AvroType): AvroType {
  return {
    ...type,
    read(reader) {
      const bytes = requireBytes(type.name, type.read(reader));
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
    },
    write: (value, writer) => type.write(typeof value === "string" ? bytesOfJson(value) : value, writer),
  };
}

/** Returns the type of an enumeration. */
export function enumType(name: string, symbols: readonly string[]): AvroType {
  const require = (value: Value) => {
    if (typeof value !== "string" || !symbols.includes(value))
      throw mismatch(`enum \`${name}\``, `one of ${symbols.slice(0, 20).join(", ")}`, value);
    return value;
  };
  return {
    name,
    read(reader) {
      const index = Number(reader.long());
      const symbol = symbols[index];
      if (symbol === undefined) throw new MappingError(`avro: enum \`${name}\` has no symbol ${index}`);
      return symbol;
    },
    write: (value, writer) => writer.long(symbols.indexOf(require(value))),
    fromJson: require,
    toJson: (value) => quoteText(require(value)),
    schema: () => ({ enum: symbols }),
    accepts: (value) => typeof value === "string" && symbols.includes(value),
  };
}
