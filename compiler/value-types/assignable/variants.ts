// Compares an object with another one field by field, and with several options. If the options differ in a field with
// fixed values (`kind: "a"`), that field decides which of them is meant.

import { suggest } from "../../diagnostics/suggest.ts";
import { type Alternative, alternativesOf } from "../alternatives.ts";
import { intersect } from "../intersect.ts";
import type { Mismatch } from "../mismatch.ts";
import type { Field, ObjectType } from "../type.ts";
import { unionOf } from "../union.ts";
import { isHopeless, isLiteral, nearest, possibly, type TypeComparer, under } from "./compare.ts";

/** The maximum number of values of a discriminator that are compared separately. */
const maximumVariants = 64;

/** Returns why no option accepts `found`; empty if one does. */
export function compareWithObjects(
  found: ObjectType,
  options: readonly Alternative[],
  compare: TypeComparer,
): readonly Mismatch[] {
  const objects = options.filter((option) => option.kind === "Object");
  if (objects.length === 0) return [{ path: [], problem: "type", certain: true, found }];
  const name = discriminatorOf(objects);
  const explain = (option: ObjectType) => compareObjects(found, option, compare);
  const given = name === undefined ? undefined : found.fields.get(name);
  // An optional discriminator decides nothing.
  if (name === undefined || given === undefined || !given.required) return nearest(objects.map(explain));
  const declared = objects.map((object) => object.fields.get(name)).filter((field) => field !== undefined);
  const literals = unionOf(declared.map(({ type }) => type));
  const wrong = under(name, compare(given.type, literals), declared[0]?.span);
  const meant = objects.filter((object) => {
    const field = object.fields.get(name);
    return field !== undefined && intersect(given.type, field.type).kind !== "Never";
  });
  // While the discriminator is wrong, the expected shape is unknown.
  if (meant.length === 0) return wrong;
  const others = meant.map((option) =>
    explain(option).filter(({ path, problem }) => path[0] !== name || problem === "missing"),
  );
  return [...wrong, ...nearest(others)];
}

/** Splits an object whose discriminator has several known values into one object for each value. */
export function splitByDiscriminator(
  found: Alternative,
  options: readonly Alternative[],
): readonly Alternative[] {
  if (found.kind !== "Object") return [found];
  const name = discriminatorOf(options.filter((option) => option.kind === "Object"));
  const field = name === undefined ? undefined : found.fields.get(name);
  if (name === undefined || field === undefined || !isLiteral(field.type)) return [found];
  const values = alternativesOf(field.type);
  if (values.length > maximumVariants) return [found];
  return values.map((type) => ({ ...found, fields: new Map(found.fields).set(name, { ...field, type }) }));
}

/** Returns the field that has fixed values in all objects, if there are several objects. */
function discriminatorOf(objects: readonly ObjectType[]): string | undefined {
  const [first, second] = objects;
  if (first === undefined || second === undefined) return undefined;
  return Array.from(first.fields.keys()).find((name) =>
    objects.every((object) => {
      const field = object.fields.get(name);
      return field !== undefined && isLiteral(field.type);
    }),
  );
}

/**
 * Returns why `found` does not fit `wanted`. A field with a misspelt name is one mismatch, not a missing and an extra
 * one.
 */
function compareObjects(found: ObjectType, wanted: ObjectType, compare: TypeComparer): readonly Mismatch[] {
  const extra = Array.from(found.fields).flatMap(([name, field]) =>
    wanted.fields.has(name) ? [] : compareUndeclared(name, field, found, wanted, compare),
  );
  const misspelt = new Set(extra.map(({ closest }) => closest));
  const declared = Array.from(wanted.fields)
    .flatMap(([name, field]) => compareDeclared(name, field, found, wanted, compare))
    .filter(({ problem, path }) => problem !== "missing" || path.length > 1 || !misspelt.has(path[0]));
  return [...declared, ...extra, ...compareRest(found, wanted, compare)];
}

/** Compares a field that `wanted` declares. */
function compareDeclared(
  name: string,
  wanted: Field,
  object: ObjectType,
  declaring: ObjectType,
  compare: TypeComparer,
): readonly Mismatch[] {
  const found = object.fields.get(name);
  const isFound = found !== undefined && found.type.kind !== "Never";
  if (wanted.type.kind === "Never") return isFound ? [extraField(name, found, undefined)] : [];
  if (!isFound) {
    const rest = found === undefined ? object.rest : undefined;
    if (rest === undefined) return wanted.required ? [missingField(name, wanted, object, declaring)] : [];
    // It is unknown whether the field is present. If it is, or has to be, it has to fit.
    const mismatches = under(name, compare(rest, wanted.type), wanted.span);
    return wanted.required ? mismatches : possibly(mismatches);
  }
  const mismatches = under(name, compare(found.type, wanted.type), wanted.span);
  if (found.required) return mismatches;
  if (!wanted.required) return possibly(mismatches);
  if (isHopeless(mismatches)) return mismatches;
  return [...mismatches, { path: [name], problem: "missing", certain: false, ...declaredAs(wanted) }];
}

function missingField(name: string, wanted: Field, found: ObjectType, declaring: ObjectType): Mismatch {
  const others = Array.from(found.fields.keys()).filter((other) => !declaring.fields.has(other));
  const closest = suggest(name, others);
  return {
    path: [name],
    problem: "missing",
    certain: true,
    ...declaredAs(wanted),
    ...(closest === undefined ? {} : { closest }),
  };
}

function declaredAs(field: Field): Pick<Mismatch, "wanted" | "wantedSpan"> {
  return { wanted: field.type, ...(field.span === undefined ? {} : { wantedSpan: field.span }) };
}

/** Compares a field that `wanted` does not declare. */
function compareUndeclared(
  name: string,
  field: Field,
  found: ObjectType,
  wanted: ObjectType,
  compare: TypeComparer,
): readonly Mismatch[] {
  if (field.type.kind === "Never") return [];
  if (wanted.rest !== undefined) {
    const mismatches = under(name, compare(field.type, wanted.rest));
    return field.required ? mismatches : possibly(mismatches);
  }
  const unused = Array.from(wanted.fields.keys()).filter((other) => !found.fields.has(other));
  return [extraField(name, field, suggest(name, unused))];
}

function extraField(name: string, field: Field, closest: string | undefined): Mismatch {
  return {
    path: [name],
    problem: "extra",
    certain: field.required,
    found: field.type,
    ...(closest === undefined ? {} : { closest }),
  };
}

/** Compares the fields that neither declares. If none are allowed, fields that may be absent are accepted. */
function compareRest(found: ObjectType, wanted: ObjectType, compare: TypeComparer): readonly Mismatch[] {
  if (found.rest === undefined || wanted.rest === undefined) return [];
  return possibly(under("{}", compare(found.rest, wanted.rest)));
}
