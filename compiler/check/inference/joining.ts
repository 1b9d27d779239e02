// Joins the facts at the ends of several branches of a mapping.

import { alternativesOf } from "../../value-types/alternatives.ts";
import type { Field, ObjectType, Type } from "../../value-types/type.ts";
import { membersOf, unionOf } from "../../value-types/union.ts";
import { assignedPlaces, changedPlaces, findState, type TypeEnvironment } from "./environment.ts";
import type { Place, PlaceState } from "./place.ts";

/** The maximum number of object types in one union; more are merged to one object with all their fields. */
const maximumObjects = 8;

/**
 * Adds to `environment` the facts that are true after any of `ends`. These are its own forks and cover all possible
 * branches. Ends that no message reaches do not count.
 */
export function joinInto(environment: TypeEnvironment, ends: readonly TypeEnvironment[]): void {
  const reached = ends.filter((end) => !end.isDead);
  if (reached.length === 0) {
    environment.isDead = true;
    return;
  }
  const assigned = new Set(reached.flatMap((end) => [...assignedPlaces(end, environment)]));
  for (const place of assigned) joinAssigned(environment, place, reached);
  // If no branch has ended, facts from conditions alone cancel out.
  if (reached.length === ends.length) return;
  for (const place of new Set(reached.flatMap((end) => [...changedPlaces(end, environment)]))) {
    if (!assigned.has(place)) joinNarrowed(environment, place, reached);
  }
}

function joinAssigned(environment: TypeEnvironment, place: Place, ends: readonly TypeEnvironment[]): void {
  const states = ends.map((end) => findState(end, place));
  const known = states.filter((state): state is PlaceState => state !== undefined);
  const maybeUnset = known.length < states.length || known.some((state) => state.maybeUnset === true);
  const type = joinTypes(known.map((state) => state.type));
  environment.changes.set(place, maybeUnset ? { type, maybeUnset } : { type });
  environment.assigned.add(place);
}

function joinNarrowed(environment: TypeEnvironment, place: Place, ends: readonly TypeEnvironment[]): void {
  const types = ends.map((end) => findState(end, place)?.type ?? { kind: "Unknown" as const });
  environment.changes.set(place, { ...findState(environment, place), type: limited(unionOf(types)) });
}

/**
 * Returns the union of types. Objects are merged to one whose fields may be those of any: otherwise an object that is
 * built step by step would double its alternatives with every branch.
 */
export function joinTypes(types: readonly Type[]): Type {
  const distinct = [...new Set(types)];
  if (distinct.length === 1 && distinct[0] !== undefined) return distinct[0];
  const alternatives = distinct.flatMap(membersOf);
  return mergeAmong(alternatives);
}

/** Returns the type with its objects merged if there are too many of them. */
export function limited(type: Type): Type {
  if (type.kind !== "Union") return type;
  const objects = type.members.filter((member) => member.kind === "Object");
  return objects.length <= maximumObjects ? type : mergeAmong(type.members);
}

function mergeAmong(alternatives: readonly Type[]): Type {
  const objects = [...new Set(alternatives.filter((alternative) => alternative.kind === "Object"))];
  if (objects.length < 2) return unionOf(alternatives);
  const others = alternatives.filter((alternative) => alternative.kind !== "Object");
  return unionOf([...others, mergeObjects(objects)]);
}

/** Returns one object type for all of these: a field is required if all of them require it. */
function mergeObjects(objects: readonly ObjectType[]): ObjectType {
  const fields = new Map<string, Field>();
  const rests = objects.flatMap(({ rest }) => (rest === undefined ? [] : [rest]));
  for (const name of new Set(objects.flatMap((object) => [...object.fields.keys()]))) {
    fields.set(name, mergeFields(objects, name));
  }
  return { kind: "Object", fields, rest: rests.length === 0 ? undefined : unionOf(rests) };
}

function mergeFields(objects: readonly ObjectType[], name: string): Field {
  const found = objects.map((object) => object.fields.get(name));
  const [first] = found;
  if (first !== undefined && found.every((field) => field === first)) return first;
  const types = objects.flatMap((object) => {
    const type = object.fields.get(name)?.type ?? object.rest;
    return type === undefined ? [] : [type];
  });
  const span = found.find((field) => field?.span !== undefined)?.span;
  return {
    type: joinTypes(types),
    required: found.every((field) => field?.required === true),
    ...(span === undefined ? {} : { span }),
  };
}

/** Whether every value of the type is null, or means an absence. */
export function isAbsent(type: Type): boolean {
  const alternatives = alternativesOf(type);
  return alternatives.length > 0 && alternatives.every(({ kind }) => absences.has(kind));
}

/** Kinds that count as null for a fallback. */
export const absences: ReadonlySet<Type["kind"]> = new Set(["Null", "Deleted", "Nothing"]);
