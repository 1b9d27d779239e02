// Places: whatever has a type that statements change and conditions narrow. These are the document, the root,
// variables, metadata, and the value of `this` or of a label inside queries.

import type { Span } from "../../source/source.ts";
import type { Type } from "../../value-types/type.ts";

/** Something that holds a value while a mapping runs. Places are compared by identity. */
export interface Place {
  /** The name in diagnostics: `this`, `root`, `$total`. */
  readonly name: string;
  /** The reference whose value this place has; facts about one apply to the other. */
  readonly alias?: PlaceReference | undefined;
}

/** The value at a path of a place, seen directly or through a function of it. */
export interface PlaceReference {
  readonly place: Place;
  readonly path: readonly string[];
  readonly view: View;
}

/**
 * A function of a value, applied to each of its alternatives. `of` returns the type of the result for one alternative.
 * `back` returns what remains of the alternative if its result is known to be `seen`, which is never `Never`.
 */
export interface View {
  readonly of: (alternative: Type) => Type;
  readonly back: (alternative: Type, seen: Type) => Type;
}

/** The value itself. */
export const plainView: View = { of: (alternative) => alternative, back: (_, seen) => seen };

/** The known facts about a place at one point of a mapping. */
export interface PlaceState {
  readonly type: Type;
  /** Whether it is a variable that some branch before this point does not set. */
  readonly maybeUnset?: boolean;
  /** The declaration of the field that a variable was read from, if it allows null. */
  readonly nullFrom?: NullOrigin | undefined;
}

/** A declaration that allows a value to be null. */
export interface NullOrigin {
  readonly span: Span;
  readonly reason: "optional" | "nullable" | "in only some of the alternatives";
}

/** Creates a new place. */
export function createPlace(name: string, alias?: PlaceReference): Place {
  return { name, alias };
}
