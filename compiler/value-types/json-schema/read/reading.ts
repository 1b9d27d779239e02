// What one schema, or one keyword of it, says of a value, and how several of these go together.

import { intersect } from "../../intersect.ts";
import {
  anyObject,
  arrayOf,
  bool,
  float,
  integer,
  never,
  nullType,
  string,
  type Type,
  unknown,
} from "../../type.ts";
import { unionOf } from "../../union.ts";

/**
 * `properties` without `type` lets every text pass, to the letter, but its author means objects. Both are
 * kept until it is known whether a `type` stands elsewhere.
 */
export interface Reading {
  /** All values that the letter of the schema lets pass. */
  readonly exact: Type;
  /** Those that are meant. */
  readonly meant: Type;
  /** Whether the schema says of what kind its values are; then both are the same. */
  readonly isTyped: boolean;
}

/** What says nothing. */
export const anything: Reading = { exact: unknown, meant: unknown, isTyped: false };

/** What lets nothing pass. */
export const impossible: Reading = typed(never);

const scalars: readonly Type[] = [nullType, bool, integer, float, string];

/** Exactly these values. */
export function typed(type: Type): Reading {
  return { exact: type, meant: type, isTyped: true };
}

/** Objects are like this; of other values nothing is said. */
export function objectsOnly(object: Type): Reading {
  return { exact: unionOf([object, ...scalars, arrayOf(unknown)]), meant: object, isTyped: false };
}

/** Arrays are like this; of other values nothing is said. */
export function arraysOnly(array: Type): Reading {
  return { exact: unionOf([array, ...scalars, anyObject]), meant: array, isTyped: false };
}

/** Values of which all of these are true. */
export function allOf(readings: Iterable<Reading>): Reading {
  let whole = anything;
  for (const reading of readings) whole = both(whole, reading);
  return whole;
}

/** Values of which at least one of these is true. */
export function anyOf(readings: readonly Reading[]): Reading {
  return {
    exact: unionOf(readings.map(({ exact }) => exact)),
    meant: unionOf(readings.map(({ meant }) => meant)),
    isTyped: readings.every(({ isTyped }) => isTyped),
  };
}

/** The same reading with its types changed alike. */
export function mapReading(reading: Reading, change: (type: Type) => Type): Reading {
  const exact = change(reading.exact);
  const meant = reading.meant === reading.exact ? exact : change(reading.meant);
  return { exact, meant, isTyped: reading.isTyped };
}

function both(a: Reading, b: Reading): Reading {
  if (a === anything) return b;
  if (b === anything) return a;
  const exact = intersect(a.exact, b.exact);
  if (a.isTyped || b.isTyped) return typed(exact);
  return { exact, meant: meantByBoth(a, b), isTyped: false };
}

/** Where one is meant of objects and the other of arrays, either is meant. */
function meantByBoth(a: Reading, b: Reading): Type {
  const meant = intersect(a.meant, b.meant);
  if (meant.kind !== "Never") return meant;
  return unionOf([intersect(a.meant, b.exact), intersect(a.exact, b.meant)]);
}
