// The types of values in mappings and messages. Inference computes them, and JSON Schemas are converted to and from
// them. Plain immutable data, independent of trees and documents.

import type { Span } from "../source/source.ts";

/** The static type of a value. */
export type Type =
  | UnknownType
  | NeverType
  | NullType
  | BoolType
  | IntegerType
  | FloatType
  | StringType
  | BytesType
  | TimestampType
  | ArrayType
  | ObjectType
  | UnionType
  | RecursiveType
  | DeletedType
  | NothingType;

/** Any value; no diagnostic is reported about it. */
export interface UnknownType {
  readonly kind: "Unknown";
}

/** No value: an expression that is not reached or always fails. */
export interface NeverType {
  readonly kind: "Never";
}

/** `null`, which is also the value of a missing field. */
export interface NullType {
  readonly kind: "Null";
}

/** A boolean; `value` is set if it is known. */
export interface BoolType {
  readonly kind: "Bool";
  readonly value?: boolean;
}

/** A whole number, signed or not; `value` is set if it is known. */
export interface IntegerType {
  readonly kind: "Integer";
  readonly value?: bigint;
}

/** A number with a fraction; a JSON `number` is the union of `Integer` and `Float`. */
export interface FloatType {
  readonly kind: "Float";
}

/** A text; `value` is set if it is known. An enum of texts is a union of these. */
export interface StringType {
  readonly kind: "String";
  readonly value?: string;
}

export interface BytesType {
  readonly kind: "Bytes";
}

export interface TimestampType {
  readonly kind: "Timestamp";
}

export interface ArrayType {
  readonly kind: "Array";
  /** The type of any element. `Never` for an array that is always empty. */
  readonly items: Type;
  /**
   * The types of the elements at the start, if each place has a type of its own: `prefixItems`, `["a", 1]`. Any of them
   * may be missing at the end. `items` is the union of these and all other elements, so `first` can always be ignored.
   */
  readonly first?: readonly Type[];
}

export interface ObjectType {
  readonly kind: "Object";
  /** The fields by name, in the order declared or assigned. */
  readonly fields: ReadonlyMap<string, Field>;
  /**
   * The type of fields that are not in `fields`. `undefined`: there are none (`additionalProperties: false`, or an
   * object that a mapping builds). `Unknown`: the schema does not forbid others.
   */
  readonly rest: Type | undefined;
}

export interface Field {
  readonly type: Type;
  /** False if the object may lack the field, which then reads as null. */
  readonly required: boolean;
  /** The place where a person declared it. */
  readonly span?: Span;
  /** The `format` that its schema names. */
  readonly format?: string;
}

/** At least two members, none of which is a union, `Unknown` or `Never`. Created by `unionOf` only. */
export interface UnionType {
  readonly kind: "Union";
  readonly members: readonly Exclude<Type, UnionType | UnknownType | NeverType>[];
}

/** A type that contains itself: `$ref` cycles, results of recursive maps. */
export interface RecursiveType {
  readonly kind: "Recursive";
  /** The name in messages, which also distinguishes types within one `scope`. */
  readonly name: string;
  /** Returns the type itself, unfolded by one level; never a `Recursive`. Always returns the same object. */
  readonly unfold: () => Type;
}

/** `deleted()`: the target of an assignment is removed. */
export interface DeletedType {
  readonly kind: "Deleted";
}

/** `nothing()`: the assignment does not happen. */
export interface NothingType {
  readonly kind: "Nothing";
}

export const unknown: UnknownType = { kind: "Unknown" };
export const never: NeverType = { kind: "Never" };
export const nullType: NullType = { kind: "Null" };
export const bool: BoolType = { kind: "Bool" };
export const integer: IntegerType = { kind: "Integer" };
export const float: FloatType = { kind: "Float" };
export const string: StringType = { kind: "String" };
export const bytes: BytesType = { kind: "Bytes" };
export const timestamp: TimestampType = { kind: "Timestamp" };
export const deletedType: DeletedType = { kind: "Deleted" };
export const nothingType: NothingType = { kind: "Nothing" };

/** Returns an array type whose elements have one type. */
export function arrayOf(items: Type): ArrayType {
  return { kind: "Array", items };
}

/** An object with any fields. */
export const anyObject: ObjectType = { kind: "Object", fields: new Map(), rest: unknown };

/** Returns an object type with exactly these fields, all required. */
export function objectOf(fields: Iterable<readonly [string, Type]>): ObjectType {
  const entries = Array.from(fields, ([name, type]) => [name, { type, required: true }] as const);
  return { kind: "Object", fields: new Map(entries), rest: undefined };
}

/**
 * Returns a type that `compute` creates once, on first use. A type that depends on itself to be computed (a schema that
 * is only a reference to itself) is `Unknown`.
 */
export function recursive(name: string, compute: () => Type): RecursiveType {
  let state: Type | "untouched" | "computing" = "untouched";
  const unfold = (): Type => {
    if (state === "computing") return unknown;
    if (state === "untouched") {
      state = "computing";
      state = surface(compute(), unfold);
    }
    return state;
  };
  return { kind: "Recursive", name, unfold };
}

/** Returns the type below all outer recursion, as `unfold` promises. */
function surface(type: Type, asking: () => Type): Type {
  let at = type;
  while (at.kind === "Recursive") {
    if (at.unfold === asking) return unknown;
    at = at.unfold();
  }
  return at;
}

/** A message between two components. */
export interface MessageType {
  /** The type of `this`: the parsed document, or bytes without a description. */
  readonly content: Type;
  readonly metadata: MetadataType;
}

export interface MetadataType {
  /** By key. Metadata of inputs are texts; mappings may set any value. */
  readonly known: ReadonlyMap<string, Field>;
  /** Whether other keys may exist, such as headers of a broker's messages. */
  readonly others: boolean;
}

/** A message about which nothing is known. */
export const anyMessage: MessageType = { content: unknown, metadata: { known: new Map(), others: true } };

/** The first of the types that are equal but for the places of their fields, by the others. */
const firsts = new WeakMap<Type, Type>();

/** Notes that `type` differs from `other` only in the places of fields, and returns it. */
export function movedFrom<T extends Type>(type: T, other: Type): T {
  if (type !== other) firsts.set(type, withoutPlaces(other));
  return type;
}

/** Returns the same type for all types that are known to differ only in the places of fields. */
export function withoutPlaces(type: Type): Type {
  return firsts.get(type) ?? type;
}
