// What all types of Avro can do with a value.

import { MappingError } from "../../errors.ts";
import { printScalar } from "../../message/json-print.ts";
import { isArray, isObject, type Value } from "../../message/value.ts";
import { encodeUtf8 } from "../../text/utf8.ts";
import type { AvroReader, AvroWriter } from "./binary.ts";

/** JSON Schema as data. */
export type AvroJsonSchema = boolean | { readonly [keyword: string]: unknown };

/** A type of a schema. Its failures are `MappingError`s. */
export interface AvroType {
  /** What it is called as a member of a union. */
  readonly name: string;
  /** A value from the binary encoding. */
  read(reader: AvroReader): Value;
  /** Writes a value in the binary encoding. */
  write(value: Value, writer: AvroWriter): void;
  /** A value from Avro's JSON encoding. */
  fromJson(json: Value): Value;
  /** The text of a value in Avro's JSON encoding. */
  toJson(value: Value): string;
  /** JSON Schema of the values that are read. */
  schema(): AvroJsonSchema;
  /** Whether a value outside of JSON's tags for unions is of the type. */
  accepts(value: Value): boolean;
}

/** A value is not of a type. */
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

/** Text as Avro writes it in JSON: ASCII alone. */
export function quoteText(text: string): string {
  return quoteUnits(text.toWellFormed());
}

/** Bytes as a text of JSON with one character for each. */
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

/** The bytes of a text of JSON that has one character for each; other texts stand for their UTF-8. */
export function bytesOfJson(text: string): Uint8Array {
  return /[\u0100-\uffff]/.test(text) ? encodeUtf8(text) : Buffer.from(text, "latin1");
}
