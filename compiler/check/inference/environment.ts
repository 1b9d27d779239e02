// The known facts about all places at one point of a mapping. Statements change an environment; branches get forks, and
// the common facts at their ends are joined into the original.

import type { Field, Type } from "../../value-types/type.ts";
import type { Place, PlaceState } from "./place.ts";

/** Facts about places at a point. A fork sees the facts of its origin and keeps its own changes to itself. */
export interface TypeEnvironment {
  readonly origin: TypeEnvironment | undefined;
  /** Facts that differ from those of the origin. */
  readonly changes: Map<Place, PlaceState>;
  /** The changed places that a statement assigned, rather than a condition narrowed. */
  readonly assigned: Set<Place>;
  /** Fields of objects without other references, so that fields can be added in place. */
  readonly owned: Set<ReadonlyMap<string, Field>>;
  /** Whether no message reaches this point, because an earlier assignment always fails. */
  isDead: boolean;
}

/** Returns an environment with only the facts of `origin`. */
export function forkEnvironment(origin?: TypeEnvironment): TypeEnvironment {
  return {
    origin,
    changes: new Map(),
    assigned: new Set(),
    owned: new Set(),
    isDead: origin?.isDead ?? false,
  };
}

/** Returns the state of a place; `undefined` for a variable that is not set. */
export function findState(environment: TypeEnvironment, place: Place): PlaceState | undefined {
  for (let at: TypeEnvironment | undefined = environment; at !== undefined; at = at.origin) {
    const state = at.changes.get(place);
    if (state !== undefined) return state;
  }
  return undefined;
}

/** Changes the state of a place by an assignment. */
export function assignState(environment: TypeEnvironment, place: Place, state: PlaceState): void {
  environment.changes.set(place, state);
  environment.assigned.add(place);
}

/** Returns an environment with another type for one place; the given environment stays unchanged. */
export function narrowed(environment: TypeEnvironment, place: Place, type: Type): TypeEnvironment {
  const before = findState(environment, place);
  if (before?.type === type) return environment;
  const fork = forkEnvironment(environment);
  fork.changes.set(place, { ...before, type });
  return fork;
}

/** Returns the places that were narrowed or assigned between `origin` and its descendant `end`. */
export function changedPlaces(end: TypeEnvironment, origin: TypeEnvironment): ReadonlySet<Place> {
  return new Set(between(end, origin).flatMap(({ changes }) => [...changes.keys()]));
}

/** Returns only the places that were assigned. */
export function assignedPlaces(end: TypeEnvironment, origin: TypeEnvironment): ReadonlySet<Place> {
  return new Set(between(end, origin).flatMap(({ assigned }) => [...assigned]));
}

function between(end: TypeEnvironment, origin: TypeEnvironment): readonly TypeEnvironment[] {
  const found: TypeEnvironment[] = [];
  for (let at: TypeEnvironment | undefined = end; at !== undefined && at !== origin; at = at.origin)
    found.push(at);
  return found;
}

/** Whether a condition has excluded every value of some place since `origin`. */
export function isContradiction(end: TypeEnvironment, origin: TypeEnvironment): boolean {
  const assigned = assignedPlaces(end, origin);
  for (const place of changedPlaces(end, origin)) {
    if (assigned.has(place)) continue;
    const isExcluded = findState(end, place)?.type.kind === "Never";
    if (isExcluded && findState(origin, place)?.type.kind !== "Never") return true;
  }
  return false;
}
