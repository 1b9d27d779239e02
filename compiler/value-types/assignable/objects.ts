// One object against another, field by field.

import { suggest } from "../../diagnostics/suggest.ts";
import type { Mismatch } from "../mismatch.ts";
import type { Field, ObjectType } from "../type.ts";
import { isHopeless, possibly, type TypeComparer, under } from "./compare.ts";

/** Why `found` does not fit `wanted`. A field under a misspelt name is one mismatch, not a missing and an extra. */
export function compareObjects(
  found: ObjectType,
  wanted: ObjectType,
  compare: TypeComparer,
): readonly Mismatch[] {
  const extra = Array.from(found.fields).flatMap(([name, field]) =>
    wanted.fields.has(name) ? [] : compareUndeclared(name, field, found, wanted, compare),
  );
  const misspelt = new Set(extra.map(({ closest }) => closest));
  const declared = Array.from(wanted.fields)
    .flatMap(([name, field]) => compareDeclared(name, field, found, wanted, compare))
    .filter(({ problem, path }) => problem !== "missing" || path.length > 1 || !misspelt.has(path[0]));
  return [...declared, ...extra, ...compareRest(found, wanted, compare)];
}

/** A field that `wanted` names. */
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
    // It is unknown whether it is present; if it is, or must be, it has to fit.
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

/** A field that `wanted` does not name. */
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

/** Fields that neither names. Where none are allowed, those that may or may not be there pass in silence. */
function compareRest(found: ObjectType, wanted: ObjectType, compare: TypeComparer): readonly Mismatch[] {
  if (found.rest === undefined || wanted.rest === undefined) return [];
  return possibly(under("{}", compare(found.rest, wanted.rest)));
}
