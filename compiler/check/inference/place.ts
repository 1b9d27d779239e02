// What has a type that statements change and conditions make more exact: the document, the root, variables,
// metadata, and what `this` or a label is inside of queries.

import type { Span } from "../../source/source.ts";
import type { Type } from "../../value-types/type.ts";

/** Something that holds a value while a mapping runs. Known by identity. */
export interface Place {
  /** As messages name it: `this`, `root`, `$total`. */
  readonly name: string;
  /** It is the value of this reference, so that what is learnt of the one is learnt of the other. */
  readonly alias?: PlaceReference | undefined;
}

/** A value that stands at a path of a place, seen as it is or as some function of it. */
export interface PlaceReference {
  readonly place: Place;
  readonly path: readonly string[];
  readonly view: View;
}

/**
 * A way to look at a value, taken apart into its alternatives. `of`: what one looks like. `back`: what is left
 * of it when its looks are known to be `seen`, which is never `Never`.
 */
export interface View {
  readonly of: (alternative: Type) => Type;
  readonly back: (alternative: Type, seen: Type) => Type;
}

/** The value itself. */
export const plainView: View = { of: (alternative) => alternative, back: (_, seen) => seen };

/** What is known of a place at one point of a mapping. */
export interface PlaceState {
  readonly type: Type;
  /** A variable that some way to this point does not set. */
  readonly maybeUnset?: boolean;
  /** Why a variable can be null: the field it was read from. */
  readonly nullFrom?: NullOrigin | undefined;
}

/** A declaration by which a value can be null. */
export interface NullOrigin {
  readonly span: Span;
  readonly reason: "optional" | "nullable";
}

/** A place that is nothing but itself. */
export function createPlace(name: string, alias?: PlaceReference): Place {
  return { name, alias };
}
