// Which kinds of types operators take.

import type { Type } from "../../value-types/type.ts";

/** Kinds of types. */
export type TypeKinds = ReadonlySet<Type["kind"]>;

/** What calculates. */
export const numeric: TypeKinds = new Set(["Integer", "Float"]);
/** What is compared as text. */
export const textual: TypeKinds = new Set(["String", "Bytes", "Timestamp"]);
/** What `&&` and `||` take: numbers count as true unless zero. */
export const decisive: TypeKinds = new Set(["Bool", "Integer", "Float"]);
/** What `[i]` and `[a:b]` take. */
export const indexable: TypeKinds = new Set(["Array", "String", "Bytes"]);
