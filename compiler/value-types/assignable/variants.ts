// An object against several that would do. Where they differ by a field of fixed values (`kind: "a"`), that field
// decides which of them is meant.

import { type Alternative, alternativesOf } from "../alternatives.ts";
import { intersect } from "../intersect.ts";
import type { Mismatch } from "../mismatch.ts";
import type { ObjectType } from "../type.ts";
import { unionOf } from "../union.ts";
import { isLiteral, nearest, type TypeComparer, under } from "./compare.ts";
import { compareObjects } from "./objects.ts";

/** Discriminators of more values than this are not taken apart. */
const maximumVariants = 64;

/** Why no option takes `found`; nothing where one does. */
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
  // One that need not be there decides nothing.
  if (name === undefined || given === undefined || !given.required) return nearest(objects.map(explain));
  const declared = objects.map((object) => object.fields.get(name)).filter((field) => field !== undefined);
  const literals = unionOf(declared.map(({ type }) => type));
  const wrong = under(name, compare(given.type, literals), declared[0]?.span);
  const meant = objects.filter((object) => {
    const field = object.fields.get(name);
    return field !== undefined && intersect(given.type, field.type).kind !== "Never";
  });
  // What it should look like is not known while its discriminator is wrong.
  if (meant.length === 0) return wrong;
  const others = meant.map((option) =>
    explain(option).filter(({ path, problem }) => path[0] !== name || problem === "missing"),
  );
  return [...wrong, ...nearest(others)];
}

/** An object whose discriminator has several known values, as one object for each value. */
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

/** The field that has fixed values in all of them, if there are several. */
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
