// The values of documents, metadata and the mapping language.

/**
 * A value.
 *
 * - `number`: an int64 if it is whole, otherwise a float64 (including NaN and the infinities).
 * - `bigint`: an int64 outside the safe integers of JavaScript.
 * - `WholeFloat`: a float64 that is whole (`5.0`, `1e21`, `-0`), distinct from the integer 5 because
 *   arithmetic and text form differ.
 * - `Unsigned`: a uint64.
 * - `SizedNumber`: an integer of 8, 16 or 32 bits, or a float32. Arithmetic turns it into an int64, uint64 or
 *   float64.
 * - `SourceNumber`: a number of the source document whose text JavaScript would not reproduce
 *   (`1.0`, `1e5`, twenty digits). It keeps its text until an operation needs the number.
 * - `Uint8Array`: bytes.
 *
 * Objects are plain: they have own enumerable properties and the prototype `Object.prototype`, so keys such as
 * `__proto__` exist only as own properties made by `defineProperty` or a computed key. A value never changes
 * once two places can see it.
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

/** A uint64. `valueOf()` is between 0 and 2^64 − 1. */
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

/** A number of a smaller kind, as `.int32()` and similar methods make it. */
export class SizedNumber {
  readonly #kind: SizedKind;
  readonly #value: number;

  /** `value` must fit the kind: whole and in range, or a float32. */
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

/** A number as the source document spells it. `toString()` returns that text, a valid JSON number. */
export class SourceNumber {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** An instant with nanoseconds and the zone in which it is shown. */
export class Timestamp {
  readonly #seconds: bigint;
  readonly #nanoseconds: number;
  readonly #zone: string;

  /**
   * `seconds` since 1970 UTC; `nanoseconds` between 0 and 999,999,999; `zone` is an IANA name, or `±hh:mm`, which a
   * name may follow.
   */
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

/** `deleted()` and `nothing()`: values that pass through expressions and stand for an absence. */
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

/** The value of `nothing()`, and of an `if` or `match` without a matching branch. */
export const nothing: Marker = /* @__PURE__ */ new Marker("nothing");

/** Whether `value` is a JSON object, rather than an array, bytes or one of the classes above. */
export function isObject(value: Value): value is ObjectValue {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Whether `value` is an array. */
export function isArray(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
