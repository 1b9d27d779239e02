// What is known of all places at one point of a mapping. Statements change an environment as they are passed;
// branches get a fork, and what their ends have in common goes back.

import type { Field, Type } from "../../value-types/type.ts";
import type { Place, PlaceState } from "./place.ts";

/** Knowledge of places at a point; a fork sees what its origin knew and keeps changes to itself. */
export interface TypeEnvironment {
  readonly origin: TypeEnvironment | undefined;
  /** What is known here and not, or otherwise, at the origin. */
  readonly changes: Map<Place, PlaceState>;
  /** Those of them that a statement changed, rather than a condition told more about. */
  readonly assigned: Set<Place>;
  /** Fields of objects without other references, so that they may be added to. */
  readonly owned: Set<ReadonlyMap<string, Field>>;
  /** No message comes here: an assignment before always fails. */
  isDead: boolean;
}

/** An environment in which nothing is known but what `origin` knows. */
export function forkEnvironment(origin?: TypeEnvironment): TypeEnvironment {
  return {
    origin,
    changes: new Map(),
    assigned: new Set(),
    owned: new Set(),
    isDead: origin?.isDead ?? false,
  };
}

/** The state of a place; `undefined` for a variable that is not set. */
export function findState(environment: TypeEnvironment, place: Place): PlaceState | undefined {
  for (let at: TypeEnvironment | undefined = environment; at !== undefined; at = at.origin) {
    const state = at.changes.get(place);
    if (state !== undefined) return state;
  }
  return undefined;
}

/** Changes the state of a place, as a statement does. */
export function assignState(environment: TypeEnvironment, place: Place, state: PlaceState): void {
  environment.changes.set(place, state);
  environment.assigned.add(place);
}

/** The environment with another type of one place; the given one is left as it is. */
export function narrowed(environment: TypeEnvironment, place: Place, type: Type): TypeEnvironment {
  const before = findState(environment, place);
  if (before?.type === type) return environment;
  const fork = forkEnvironment(environment);
  fork.changes.set(place, { ...before, type });
  return fork;
}

/** The places of which something was learnt or changed between `origin` and its descendant `end`. */
export function changedPlaces(end: TypeEnvironment, origin: TypeEnvironment): ReadonlySet<Place> {
  return new Set(between(end, origin).flatMap(({ changes }) => [...changes.keys()]));
}

/** Those of them that statements changed. */
export function assignedPlaces(end: TypeEnvironment, origin: TypeEnvironment): ReadonlySet<Place> {
  return new Set(between(end, origin).flatMap(({ assigned }) => [...assigned]));
}

function between(end: TypeEnvironment, origin: TypeEnvironment): readonly TypeEnvironment[] {
  const found: TypeEnvironment[] = [];
  for (let at: TypeEnvironment | undefined = end; at !== undefined && at !== origin; at = at.origin)
    found.push(at);
  return found;
}

/** Whether a condition has ruled out every value of some place on the way from `origin`. */
export function isContradiction(end: TypeEnvironment, origin: TypeEnvironment): boolean {
  const assigned = assignedPlaces(end, origin);
  for (const place of changedPlaces(end, origin)) {
    if (assigned.has(place)) continue;
    const isExcluded = findState(end, place)?.type.kind === "Never";
    if (isExcluded && findState(origin, place)?.type.kind !== "Never") return true;
  }
  return false;
}
