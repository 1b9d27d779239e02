// All diagnostics. First digit: 1 document syntax, 2 mapping syntax, 3 mapping types,
// 4 document meaning, 5 plan, emit and link, 9 internal. A number is never reused.

import { documentEntries } from "./catalogue/1-document.ts";
import { mappingEntries } from "./catalogue/2-mapping.ts";
import { inferenceEntries } from "./catalogue/3-inference.ts";
import { flowEntries, typeEntries } from "./catalogue/3-types.ts";
import { meaningEntries } from "./catalogue/4-meaning.ts";
import type { DiagnosticEntry } from "./diagnostic.ts";

export const catalogue = {
  ...documentEntries,
  ...mappingEntries,
  ...typeEntries,
  ...inferenceEntries,
  ...flowEntries,
  ...meaningEntries,
} as const;

type Catalogue = typeof catalogue;

/** A code of the catalogue, `GWnnnn`. */
export type DiagnosticCode = keyof Catalogue;

/** The details that a code requires. */
export type DiagnosticDetails<C extends DiagnosticCode> =
  Catalogue[C] extends DiagnosticEntry<infer D> ? D : never;

/** Returns the entry of a code, for callers that have codes as data; `undefined` if the code does not exist. */
export function findEntry(code: string): DiagnosticEntry<never> | undefined {
  return Object.hasOwn(catalogue, code) ? catalogue[code as DiagnosticCode] : undefined;
}

const codesBySlug = new Map(
  Object.entries(catalogue).map(([code, { slug }]) => [slug, code as DiagnosticCode]),
);

/** Returns the code for a number or a slug that a user writes: `GW4018`, `reserved-field`. */
export function findCode(name: string): DiagnosticCode | undefined {
  return Object.hasOwn(catalogue, name) ? (name as DiagnosticCode) : codesBySlug.get(name);
}

const namesOfCodes: readonly string[] = [...Object.keys(catalogue), ...codesBySlug.keys()];

/** Returns all numbers and slugs. */
export function codeNames(): readonly string[] {
  return namesOfCodes;
}
