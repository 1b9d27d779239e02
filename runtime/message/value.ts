// The values a message's document, its metadata and the mapping language are made of.

/**
 * A value.
 *
 * - `number`: an int64 where it is whole, else a float64 (NaN and the infinities included).
 * - `bigint`: an int64 outside the safe integers of JavaScript.
 * - `WholeFloat`: a float64 that is whole (`5.0`, `1e21`, `-0`), kept apart from the integer 5 because
 *   arithmetic and text form differ.
 * - `Unsigned`: a uint64.
 * - `SizedNumber`: an integer of 8, 16 or 32 bits, or a float32; arithmetic makes int64, uint64 or float64
 *   of it.
 * - `SourceNumber`: a number of the source document whose text JavaScript would not print back
 *   (`1.0`, `1e5`, twenty digits); it keeps its text until an operation needs the number.
 * - `Uint8Array`: bytes.
 *
 * Objects are plain: own enumerable properties, `Object.prototype` behind them, so keys such as
 * `__proto__` exist only as own properties made by `defineProperty` or a computed key. Values are never
 * changed once they can be seen from two places.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | WholeFloat
  | Unsigned
  | SizedNumber
  | SourceNumber
  | Timestamp
  | Marker
  | readonly Value[]
  | ObjectValue;

/** A JSON object. */
export interface ObjectValue {
  readonly [key: string]: Value;
}

/** A float64 with a whole value. */
export class WholeFloat {
  readonly #value: number;

  constructor(value: number) {
    this.#value = value;
  }

  valueOf(): number {
    return this.#value;
  }
}

/** A uint64; `valueOf()` lies in 0 … 2^64 − 1. */
export class Unsigned {
  readonly #value: bigint;

  constructor(value: bigint) {
    this.#value = BigInt.asUintN(64, value);
  }

  valueOf(): bigint {
    return this.#value;
  }
}

/** The kinds of numbers below 64 bits. */
export type SizedKind = "int8" | "int16" | "int32" | "uint8" | "uint16" | "uint32" | "float32";

/** A number of a smaller kind, as `.int32()` and its like make them. */
export class SizedNumber {
  readonly #kind: SizedKind;
  readonly #value: number;

  /** `value` must be one of the kind: whole and in range, or a float32. */
  constructor(kind: SizedKind, value: number) {
    this.#kind = kind;
    this.#value = value;
  }

  numericKind(): SizedKind {
    return this.#kind;
  }

  valueOf(): number {
    return this.#value;
  }
}

/** A number as the source document spells it; `toString()` is that text, a valid JSON number. */
export class SourceNumber {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** An instant with nanoseconds and the zone it is shown in. */
export class Timestamp {
  readonly #seconds: bigint;
  readonly #nanoseconds: number;
  readonly #zone: string;

  /** `seconds` since 1970 UTC, `nanoseconds` 0 … 999,999,999, `zone` an IANA name or `±hh:mm`, a name behind it. */
  constructor(seconds: bigint, nanoseconds: number, zone: string) {
    this.#seconds = seconds;
    this.#nanoseconds = nanoseconds;
    this.#zone = zone;
  }

  seconds(): bigint {
    return this.#seconds;
  }

  nanoseconds(): number {
    return this.#nanoseconds;
  }

  zone(): string {
    return this.#zone;
  }
}

/** `deleted()` and `nothing()`: values that travel through expressions and mean an absence. */
export class Marker {
  readonly #name: "deleted" | "nothing";

  constructor(name: "deleted" | "nothing") {
    this.#name = name;
  }

  toString(): string {
    return this.#name;
  }
}

/** The value of `deleted()`. */
export const deleted: Marker = /* @__PURE__ */ new Marker("deleted");

/** The value of `nothing()`, and of an `if` or `match` that took no branch. */
export const nothing: Marker = /* @__PURE__ */ new Marker("nothing");

/** Whether `value` is a JSON object, not an array, bytes or one of the classes above. */
export function isObject(value: Value): value is ObjectValue {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Whether `value` is an array. */
export function isArray(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
