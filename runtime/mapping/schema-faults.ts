// The types that connect the keywords of JSON Schema with the code that compiles and calls them.

import type { PlainJson } from "./plain-json.ts";

/** A violated keyword. */
export interface SchemaFault {
  readonly keyword: string;
  readonly path: readonly string[];
  /** The required value of the keyword, or the key that the fault is about. */
  readonly detail: PlainJson;
  /** The value, for faults of its type. */
  readonly given?: PlainJson;
}

/**
 * The maximum number of faults reported for one value, which may have millions. Alternatives repeat those of their
 * parts.
 */
const mostFaults = 1000;

/** The faults of a value, and how near it comes to its schema. Of alternatives, those of the nearest one are reported. */
export class Faults {
  readonly all: SchemaFault[] = [];
  /** Grows with each group of keywords that was checked, as in the reference engine. */
  score = 0;

  isFull(): boolean {
    return this.all.length >= mostFaults;
  }

  push(fault: SchemaFault): void {
    if (!this.isFull()) this.all.push(fault);
    this.score -= 2;
  }

  /** Counts the groups of keywords that the reference engine has for a value of this type. */
  countGroups(value: PlainJson): void {
    this.score += value === null || typeof value === "boolean" ? 3 : 4;
  }

  /** Adds the faults of the same value, or of a part of it at `path`. */
  merge({ all, score }: Faults, path: readonly string[] = []): void {
    for (const fault of all) {
      if (this.isFull()) break;
      this.all.push(path.length === 0 ? fault : { ...fault, path: [...path, ...fault.path] });
    }
    this.score += score;
  }
}

/** Appends the faults of a value at `path` to `faults`. */
export type Check = (value: PlainJson, path: readonly string[], faults: Faults) => void;

/** The context of a keyword. */
export interface KeywordContext {
  /** The schema that contains the keyword. */
  readonly schema: { readonly [keyword: string]: PlainJson };
  /** Returns the check of a schema inside the keyword. */
  compile(schema: PlainJson): Check;
}

/** Returns the check of a keyword's value; `undefined` if it requires nothing. */
export type Keyword = (value: PlainJson, context: KeywordContext) => Check | undefined;

/** Returns the faults of a value at `path` alone. */
export function faultsOf(check: Check, value: PlainJson, path: readonly string[]): Faults {
  const faults = new Faults();
  check(value, path, faults);
  return faults;
}

/** Whether a value passes a check. */
export function meets(check: Check, value: PlainJson): boolean {
  return faultsOf(check, value, []).all.length === 0;
}

/**
 * Returns the same check with a cache, which visits each object and array once. Otherwise, alternatives that share a
 * recursive schema would double the visits of the same parts at each level.
 */
export function judgedOnce(check: Check): Check {
  const known = new WeakMap<object, Faults>();
  return (value, path, faults) => {
    if (typeof value !== "object" || value === null) return check(value, path, faults);
    let own = known.get(value);
    if (own === undefined) {
      own = faultsOf(check, value, []);
      known.set(value, own);
    }
    faults.merge(own, path);
  };
}
