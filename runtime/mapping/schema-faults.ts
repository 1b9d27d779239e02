// The types that connect the keywords of JSON Schema with the code that compiles and calls them.

import type { PlainJson } from "./plain-json.ts";

/** A violated keyword. */
export interface SchemaFault {
  readonly keyword: string;
  readonly path: readonly string[];
  /** The required value of the keyword, or the key that the fault is about. */
  readonly detail: PlainJson;
}

/** Appends the faults of a value at `path` to `faults`. */
export type Check = (value: PlainJson, path: readonly string[], faults: SchemaFault[]) => void;

/** The context of a keyword. */
export interface KeywordContext {
  /** The schema that contains the keyword. */
  readonly schema: { readonly [keyword: string]: PlainJson };
  /** Returns the check of a schema inside the keyword. */
  compile(schema: PlainJson): Check;
}

/** Returns the check of a keyword's value; `undefined` if it requires nothing. */
export type Keyword = (value: PlainJson, context: KeywordContext) => Check | undefined;

/** Whether a value passes a check. */
export function meets(check: Check, value: PlainJson): boolean {
  const faults: SchemaFault[] = [];
  check(value, [], faults);
  return faults.length === 0;
}
