// What keywords of JSON Schema are to those that compile and call them.

import type { PlainJson } from "./plain-json.ts";

/** A keyword that a value does not meet. */
export interface SchemaFault {
  readonly keyword: string;
  readonly path: readonly string[];
  /** What the keyword asks for, or the key that it is about. */
  readonly detail: PlainJson;
}

/** Adds to `faults` what is wrong with a value at `path`. */
export type Check = (value: PlainJson, path: readonly string[], faults: SchemaFault[]) => void;

/** What a keyword needs to know of its surroundings. */
export interface KeywordContext {
  /** The schema it stands in. */
  readonly schema: { readonly [keyword: string]: PlainJson };
  /** The check of a schema inside of it. */
  compile(schema: PlainJson): Check;
}

/** Makes the check of a keyword's value; `undefined` where it asks for nothing. */
export type Keyword = (value: PlainJson, context: KeywordContext) => Check | undefined;

/** Whether a value meets a check. */
export function meets(check: Check, value: PlainJson): boolean {
  const faults: SchemaFault[] = [];
  check(value, [], faults);
  return faults.length === 0;
}
