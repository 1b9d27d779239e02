// The interface of all Avro types.

import { MappingError } from "../../errors.ts";
import { printScalar } from "../../message/json-print.ts";
import { isArray, isObject, type Value } from "../../message/value.ts";
import { encodeUtf8 } from "../../text/utf8.ts";
import type { AvroReader, AvroWriter } from "./binary.ts";

/** JSON Schema as data. */
export type AvroJsonSchema = boolean | { readonly [keyword: string]: unknown };

/** A type of a schema. Its methods throw `MappingError`s. */
export interface AvroType {
  /** The name as a member of a union. */
  readonly name: string;
  /** Reads a value in the binary encoding. */
  read(reader: AvroReader): Value;
  /** Writes a value in the binary encoding. */
  write(value: Value, writer: AvroWriter): void;
  /** Converts a value from Avro's JSON encoding. */
  fromJson(json: Value): Value;
  /** Returns the text of a value in Avro's JSON encoding. */
  toJson(value: Value): string;
  /** Returns the JSON Schema of the values that are read. */
  schema(): AvroJsonSchema;
  /** Whether a value without a union tag belongs to the type. */
  accepts(value: Value): boolean;
}

/** Returns the error for a value of another type. */
export function mismatch(type: string, expected: string, value: Value): MappingError {
  return new MappingError(`avro: ${type} expects ${expected}, got ${kindOf(value)}`);
}

function kindOf(value: Value): string {
  if (value === null) return "null";
  if (isArray(value)) return "an array";
  if (isObject(value)) return "an object";
  if (value instanceof Uint8Array) return "bytes";
  if (typeof value === "string") return "a text";
  return typeof value === "boolean" ? "a boolean" : `the number ${printScalar(value).slice(0, 40)}`;
}

/** Returns a JSON string as Avro writes it: only ASCII. */
export function quoteText(text: string): string {
  return quoteUnits(text.toWellFormed());
}

/** Returns bytes as a JSON string with one character for each byte. */
export function quoteBytes(bytes: Uint8Array): string {
  return quoteUnits(Buffer.from(bytes).toString("latin1"));
}

function quoteUnits(text: string): string {
  const body = text.replace(/[^ !#-.0-[\]-~]/g, (unit) => {
    if (unit === '"' || unit === "\\" || unit === "/") return `\\${unit}`;
    return shortEscapes[unit] ?? `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  });
  return `"${body}"`;
}

const shortEscapes: Readonly<Record<string, string>> = {
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

/** Returns the bytes of a JSON string with one character for each byte. Other texts stand for their UTF-8. */
export function bytesOfJson(text: string): Uint8Array {
  return /[\u0100-\uffff]/.test(text) ? encodeUtf8(text) : Buffer.from(text, "latin1");
}
