// A syntax error in two forms: as the reference would report it, and as people read it.

import type { ParseFailure } from "./failure.ts";
import type { Reader } from "./reader.ts";

/** One syntax error. */
export interface Found {
  /** The failure whose position and wording are the reference's. */
  readonly first: ParseFailure;
  /** The failure nearest to the mistake: `first`, or one that the grammar passed over further on. */
  readonly told: ParseFailure;
}

/** The two faces of a failure, given where the reader got to. */
export function find(first: ParseFailure, reader: Reader): Found {
  const { passed } = reader;
  const isNearer = passed !== undefined && passed.at > first.at && first.mistake === undefined;
  return { first, told: isNearer ? passed : first };
}
