// The kinds of types that operators accept.

import type { Type } from "../../value-types/type.ts";

/** Kinds of types. */
export type TypeKinds = ReadonlySet<Type["kind"]>;

/** Operands of arithmetic. */
export const numeric: TypeKinds = new Set(["Integer", "Float"]);
/** Values that are compared as text. */
export const textual: TypeKinds = new Set(["String", "Bytes", "Timestamp"]);
/** Operands of `&&` and `||`: numbers count as true unless they are zero. */
export const decisive: TypeKinds = new Set(["Bool", "Integer", "Float"]);
/** Values for `[i]` and `[a:b]`. */
export const indexable: TypeKinds = new Set(["Array", "String", "Bytes"]);
