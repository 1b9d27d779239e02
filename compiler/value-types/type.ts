// The types of values in mappings and messages: what inference computes, what JSON Schemas are read into and
// written from. Plain immutable data; nothing here knows trees or documents.

import type { Span } from "../source/source.ts";

/** What is known of a value before it exists. */
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

/** Anything at all; no diagnostic is reported about it. */
export interface UnknownType {
  readonly kind: "Unknown";
}

/** No value: what is not reached, or always fails. */
export interface NeverType {
  readonly kind: "Never";
}

/** `null`, and what a field that is missing reads as. */
export interface NullType {
  readonly kind: "Null";
}

/** `value` where it is known which. */
export interface BoolType {
  readonly kind: "Bool";
  readonly value?: boolean;
}

/** A whole number, signed or not; `value` where it is known which. */
export interface IntegerType {
  readonly kind: "Integer";
  readonly value?: bigint;
}

/** A number with a fraction; a JSON `number` is the union of `Integer` and `Float`. */
export interface FloatType {
  readonly kind: "Float";
}

/** Text; `value` where it is known which. An enum of texts is a union of these. */
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
  /** Of any element. `Never` for the array that is always empty. */
  readonly items: Type;
  /**
   * Of the elements at the start, where each place has a type of its own: `prefixItems`, `["a", 1]`. Any of them
   * may be missing at the end. `items` is their union and that of all others, so that this may always be dropped.
   */
  readonly first?: readonly Type[];
}

export interface ObjectType {
  readonly kind: "Object";
  /** By name, in the order declared or assigned. */
  readonly fields: ReadonlyMap<string, Field>;
  /**
   * Of fields that are not among `fields`. `undefined`: there are none (`additionalProperties: false`, or an
   * object that a mapping builds). `Unknown`: a schema that does not forbid others.
   */
  readonly rest: Type | undefined;
}

export interface Field {
  readonly type: Type;
  /** False where the object may come without it; reading it then gives null. */
  readonly required: boolean;
  /** Where a person declared it. */
  readonly span?: Span;
}

/** Two members or more, none of them a union, `Unknown` or `Never`; made by `unionOf` only. */
export interface UnionType {
  readonly kind: "Union";
  readonly members: readonly Exclude<Type, UnionType | UnknownType | NeverType>[];
}

/** A type that contains itself: `$ref` cycles, results of recursive maps. */
export interface RecursiveType {
  readonly kind: "Recursive";
  /** Names it in messages, and tells whether two of them are the same within one `scope`. */
  readonly name: string;
  /** The type itself, one level further; never a `Recursive` again. Same object, same answer. */
  readonly unfold: () => Type;
}

/** `deleted()`: what is assigned it goes away. */
export interface DeletedType {
  readonly kind: "Deleted";
}

/** `nothing()`: an assignment of it does not happen. */
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

/** An array of one type. */
export function arrayOf(items: Type): ArrayType {
  return { kind: "Array", items };
}

/** An object with any fields. */
export const anyObject: ObjectType = { kind: "Object", fields: new Map(), rest: unknown };

/** The object of exactly these fields, all required. */
export function objectOf(fields: Iterable<readonly [string, Type]>): ObjectType {
  const entries = Array.from(fields, ([name, type]) => [name, { type, required: true }] as const);
  return { kind: "Object", fields: new Map(entries), rest: undefined };
}

/**
 * A type that `compute` gives when it is first asked for, and never again. A type that needs itself to be computed
 * (a schema that is only a reference to itself) says nothing and is `Unknown`.
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

/** The type below all recursion at its surface, which `unfold` promises. */
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
  /** Of `this`: the parsed document, or bytes without a description. */
  readonly content: Type;
  readonly metadata: MetadataType;
}

export interface MetadataType {
  /** By key. Metadata of inputs are text; mappings may set any value. */
  readonly known: ReadonlyMap<string, Field>;
  /** Whether there may be keys besides: headers of a broker's messages, say. */
  readonly others: boolean;
}

/** A message of which nothing is known. */
export const anyMessage: MessageType = { content: unknown, metadata: { known: new Map(), others: true } };
