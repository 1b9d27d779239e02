// The values of templates: those of Go that templates can tell apart. Lists and dictionaries have an identity, because
// functions such as `set` change them.

import { MappingError } from "../../errors.ts";
import { float, integer } from "../../mapping/numeric.ts";
import { sortKeys } from "../../message/json-print.ts";
import {
  isArray,
  isObject,
  type ObjectValue,
  type SizedKind,
  SizedNumber,
  SourceNumber,
  Timestamp,
  Unsigned,
  type Value,
  WholeFloat,
} from "../../message/value.ts";
import { utf8Length } from "../../text/utf8.ts";
import { spend } from "../jq/run.ts";

/**
 * A value. `undefined`: no value, as of a key that does not exist; `null`: a null of a document. `SourceNumber`: a
 * number of a document, which is text for functions that do not convert it.
 */
export type TemplateValue =
  | undefined
  | null
  | boolean
  | string
  | Int
  | Float
  | SourceNumber
  | Uint8Array
  | Timestamp
  | List
  | Dict
  | Opaque;

/** A failure of a template on a message. */
export function failure(reason: string): MappingError {
  return new MappingError(reason);
}

/** An integer, with the name of its type. */
export class Int {
  readonly type: string;
  readonly value: bigint;

  constructor(type: string, value: bigint) {
    this.type = type;
    this.value = value;
  }
}

/** A float64 or float32. */
export class Float {
  readonly type: "float64" | "float32";
  readonly value: number;

  constructor(value: number, type: "float64" | "float32" = "float64") {
    this.value = value;
    this.type = type;
  }
}

/** Returns an `int`. */
export function int(value: number | bigint): Int {
  return new Int("int", BigInt.asIntN(64, BigInt(value)));
}

/** Returns an `int64`. */
export function int64(value: bigint): Int {
  return new Int("int64", BigInt.asIntN(64, value));
}

/** The types of elements of lists and dictionaries. */
export type ElementType = "interface {}" | "string" | "int" | "[]interface {}";

/** A slice. */
export class List {
  readonly items: TemplateValue[];
  readonly of: ElementType;
  /** Whether it is a nil slice, which is `null` in JSON. */
  readonly isNil: boolean;

  constructor(items: TemplateValue[], of: ElementType = "interface {}", isNil = false) {
    this.items = items;
    this.of = of;
    this.isNil = isNil;
  }
}

/** A map with texts as keys. An object of a document is only converted as far as it is read. */
export class Dict {
  readonly of: ElementType;
  readonly #entries: Map<string, TemplateValue>;
  #source: ObjectValue | undefined;
  /** The number of keys of the object, which takes time to count. */
  #count: number | undefined;
  /** As for `fromDocument`. */
  #isMade = false;

  constructor(entries: Iterable<readonly [string, TemplateValue]> = [], of: ElementType = "interface {}") {
    this.#entries = new Map(entries);
    this.of = of;
  }

  /** Returns the dictionary of an object. `isMade`: as for `fromDocument`. */
  static fromObject(source: ObjectValue, isMade: boolean): Dict {
    const dict = new Dict();
    dict.#source = source;
    dict.#isMade = isMade;
    return dict;
  }

  /** Returns the value of a key; `undefined` if it does not exist. */
  get(key: string): TemplateValue {
    const known = this.#entries.get(key);
    const source = this.#source;
    if (known !== undefined || source === undefined) return known;
    if (!Object.hasOwn(source, key)) return undefined;
    const value = fromDocument(source[key] ?? null, this.#isMade);
    if (typeof value === "object" && value !== null) this.#entries.set(key, value);
    return value;
  }

  has(key: string): boolean {
    return this.#entries.has(key) || (this.#source !== undefined && Object.hasOwn(this.#source, key));
  }

  set(key: string, value: TemplateValue): void {
    this.#settled().set(key, value ?? null);
  }

  delete(key: string): void {
    this.#settled().delete(key);
  }

  get size(): number {
    if (this.#source === undefined) return this.#entries.size;
    this.#count ??= Object.keys(this.#source).length;
    return this.#count;
  }

  /** Returns the keys in the order of their bytes. */
  keys(): readonly string[] {
    const keys = this.#source === undefined ? [...this.#entries.keys()] : Object.keys(this.#source);
    spend(keys.length);
    return sortKeys(keys);
  }

  /** Returns the entries in the order of their keys. */
  entries(): readonly (readonly [string, TemplateValue])[] {
    return this.keys().map((key) => [key, this.get(key)] as const);
  }

  #settled(): Map<string, TemplateValue> {
    if (this.#source !== undefined) {
      for (const [key, value] of this.entries()) this.#entries.set(key, value);
      this.#source = undefined;
    }
    return this.#entries;
  }
}

/** A function of templates, and the types of its parameters, separated by spaces: `string any...`. */
export interface TemplateFunction {
  readonly takes: string;
  // The call converts the arguments to the types that `takes` names.
  readonly call: (...args: never[]) => TemplateValue;
}

/** A value with methods, of which templates only see the text. */
export abstract class Opaque {
  abstract readonly type: string;
  abstract readonly kind: string;
  abstract text(): string;
  abstract method(name: string): TemplateFunction | undefined;
  isTrue(): boolean {
    return true;
  }
}

/** A complex number, which only a literal can create. */
export class Complex extends Opaque {
  readonly type = "complex128";
  readonly kind = "complex128";
  readonly real: number;
  readonly imaginary: number;

  constructor(real: number, imaginary: number) {
    super();
    this.real = real;
    this.imaginary = imaginary;
  }

  text(): string {
    return `(${this.real}${this.imaginary < 0 ? "" : "+"}${this.imaginary}i)`;
  }

  method(): undefined {
    return undefined;
  }

  override isTrue(): boolean {
    return this.real !== 0 || this.imaginary !== 0;
  }
}

/** Returns the name of a value's type in Go. */
export function typeName(value: TemplateValue): string {
  if (value === undefined || value === null) return "<nil>";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (value instanceof SourceNumber) return "json.Number";
  if (value instanceof Uint8Array) return "[]uint8";
  if (value instanceof Timestamp) return "time.Time";
  if (value instanceof List) return `[]${value.of}`;
  return value instanceof Dict ? `map[string]${value.of}` : value.type;
}

/** Returns the name of a value's kind in Go. */
export function kindName(value: TemplateValue): string {
  if (value === undefined || value === null) return "invalid";
  if (value instanceof SourceNumber) return "string";
  if (value instanceof List || value instanceof Uint8Array) return "slice";
  if (value instanceof Dict) return "map";
  if (value instanceof Timestamp) return "struct";
  return value instanceof Opaque ? value.kind : typeName(value);
}

/** Whether a value counts as true: it is not empty, zero or absent. */
export function isTrue(value: TemplateValue): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === "boolean") return value;
  if (typeof value === "string") return value !== "";
  if (value instanceof Int) return value.value !== 0n;
  if (value instanceof Float) return value.value !== 0;
  if (value instanceof List) return value.items.length > 0;
  if (value instanceof Dict) return value.size > 0;
  if (value instanceof Uint8Array) return value.length > 0;
  return value instanceof Opaque ? value.isTrue() : true;
}

/** Returns the number of elements, keys or bytes; `undefined` if the value has none. */
export function lengthOf(value: TemplateValue): number | undefined {
  if (typeof value === "string") return utf8Length(value);
  if (value instanceof SourceNumber) return value.toString().length;
  if (value instanceof List) return value.items.length;
  if (value instanceof Dict) return value.size;
  return value instanceof Uint8Array ? value.length : undefined;
}

/** Returns the items of a slice; `undefined` for other values. */
export function itemsOf(value: TemplateValue): readonly TemplateValue[] | undefined {
  if (value instanceof List) return value.items;
  if (!(value instanceof Uint8Array)) return undefined;
  spend(value.length);
  return Array.from(value, (byte) => new Int("uint8", BigInt(byte)));
}

/**
 * Converts a document. `isMade`: whether a mapping made it, so that its numbers are integers and floats rather than the
 * text of the message.
 */
export function fromDocument(value: Value, isMade: boolean): TemplateValue {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") {
    if (!isMade) return new SourceNumber(String(value));
    return Number.isInteger(value) || typeof value === "bigint"
      ? new Int("int64", BigInt(value))
      : new Float(Number(value));
  }
  if (value instanceof WholeFloat) return new Float(value.valueOf());
  if (value instanceof Unsigned) return new Int("uint64", value.valueOf());
  if (value instanceof SizedNumber) {
    const kind = value.numericKind();
    return kind === "float32" ? new Float(value.valueOf(), kind) : new Int(kind, BigInt(value.valueOf()));
  }
  if (value instanceof SourceNumber || value instanceof Uint8Array || value instanceof Timestamp)
    return value;
  if (isArray(value)) {
    spend(value.length >> 2);
    return new List(value.map((each) => fromDocument(each, isMade)));
  }
  return isObject(value) ? Dict.fromObject(value, isMade) : null;
}

/** Converts a value to a document. `isJson`: whether nil slices become null, as in JSON. */
export function toDocument(value: TemplateValue, isJson = false): Value {
  if (value === undefined || value === null) return null;
  if (typeof value === "boolean" || typeof value === "string") return value;
  if (value instanceof Int) return integerDocument(value);
  if (value instanceof Float)
    return value.type === "float32" ? new SizedNumber("float32", value.value) : float(value.value);
  if (value instanceof List) {
    spend(value.items.length + 1);
    return isJson && value.isNil ? null : value.items.map((item) => toDocument(item, isJson));
  }
  if (value instanceof Dict) {
    spend(1);
    return Object.fromEntries(value.entries().map(([key, each]) => [key, toDocument(each, isJson)]));
  }
  return value instanceof Opaque ? value.text() : value;
}

const sizedKinds: ReadonlySet<string> = /* @__PURE__ */ new Set([
  ...["int8", "int16", "int32", "uint8", "uint16", "uint32"],
]);

function integerDocument({ type, value }: Int): Value {
  // The set contains exactly the kinds of integers.
  if (sizedKinds.has(type)) return new SizedNumber(type as SizedKind, Number(value));
  return type.startsWith("u") ? new Unsigned(value) : integer(value);
}
