// Converts between values of the language and JavaScript values, for callers of the embedding API.

import type { ObjectValue, Timestamp, Value } from "../../runtime/message/value.ts";
import { loadRuntime } from "../evaluate/runtime-modules.ts";

/**
 * Converts a JavaScript value to a value of the language. Whole numbers become int64, `bigint` int64 or uint64, a
 * `Date` a timestamp, a `Uint8Array` bytes; `undefined` becomes null, and is left out of objects. Throws a
 * `TypeError` for values that the language does not have, such as functions.
 */
export function fromPlain(plain: unknown): Value {
  switch (typeof plain) {
    case "string":
    case "boolean":
      return plain;
    case "undefined":
      return null;
    case "number":
      return fromNumber(plain);
    case "bigint":
      return fromBigint(plain);
    case "object":
      return fromObject(plain);
    default:
      throw new TypeError(`The mapping language has no value of type ${typeof plain}`);
  }
}

/** Converts the values of an object. */
export function fromRecord(record: object): ObjectValue {
  const given = Object.entries(record).filter(([, each]) => each !== undefined);
  return Object.fromEntries(given.map(([name, each]) => [name, fromPlain(each)]));
}

function fromNumber(plain: number): Value {
  const isInteger = Number.isSafeInteger(plain) && !Object.is(plain, -0);
  const { WholeFloat } = loadRuntime("runtime/message/value.ts");
  return isInteger || !Number.isInteger(plain) ? plain : new WholeFloat(plain);
}

function fromBigint(plain: bigint): Value {
  const { Unsigned } = loadRuntime("runtime/message/value.ts");
  if (BigInt.asIntN(64, plain) === plain) {
    const short = Number(plain);
    return Number.isSafeInteger(short) ? short : plain;
  }
  if (BigInt.asUintN(64, plain) === plain) return new Unsigned(plain);
  throw new TypeError(`The integer ${plain} does not fit into 64 bits`);
}

function fromObject(plain: object | null): Value {
  if (plain === null || plain instanceof Uint8Array) return plain;
  if (Array.isArray(plain)) return plain.map(fromPlain);
  if (plain instanceof Date) return instantOf(plain);
  const prototype: unknown = Object.getPrototypeOf(plain);
  if (prototype === null || prototype === Object.prototype) return fromRecord(plain);
  throw new TypeError("The mapping language accepts only plain objects, not instances of a class");
}

/**
 * Converts a value of the language to a JavaScript value. Integers that a `number` cannot represent exactly become
 * `bigint`, other numbers `number`, bytes a `Uint8Array`, timestamps RFC 3339 text; `deleted()` and `nothing()`
 * become `undefined`.
 */
export function toPlain(value: Value): unknown {
  if (typeof value === "bigint") return exactInteger(value);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  const kinds = loadRuntime("runtime/message/value.ts");
  if (kinds.isArray(value)) return value.map(toPlain);
  if (kinds.isObject(value)) return toRecord(Object.entries(value));
  if (value instanceof kinds.WholeFloat || value instanceof kinds.SizedNumber) return value.valueOf();
  if (value instanceof kinds.Unsigned) return exactInteger(value.valueOf());
  if (value instanceof kinds.SourceNumber) return numberOfText(value.toString());
  return value instanceof kinds.Timestamp ? formatInstant(value) : undefined;
}

/** Converts named values to an object. Names such as `__proto__` have no special meaning. */
export function toRecord(entries: Iterable<readonly [string, Value]>): Record<string, unknown> {
  return Object.fromEntries(Array.from(entries, ([name, each]) => [name, toPlain(each)]));
}

function exactInteger(value: bigint): number | bigint {
  const short = Number(value);
  return Number.isSafeInteger(short) ? short : value;
}

function numberOfText(text: string): number | bigint {
  return /^-?[0-9]+$/.test(text) && text !== "-0" ? exactInteger(BigInt(text)) : Number(text);
}

/** Converts a date to a timestamp in UTC. Throws a `RangeError` if the date is invalid. */
function instantOf(date: Date): Timestamp {
  const milliseconds = BigInt(date.getTime());
  const fraction = ((milliseconds % 1000n) + 1000n) % 1000n;
  const { Timestamp } = loadRuntime("runtime/message/value.ts");
  return new Timestamp((milliseconds - fraction) / 1000n, Number(fraction) * 1_000_000, "UTC");
}

/** Returns a timestamp in RFC 3339, in its own time zone and with all its digits. */
function formatInstant(timestamp: Timestamp): string {
  return loadRuntime("runtime/message/timestamp.ts").formatTimestamp(timestamp);
}
