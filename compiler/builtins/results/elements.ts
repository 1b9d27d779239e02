// Results of methods on arrays: their elements, others in their place, other arrays of them.

import { elementAt, elementsOf } from "../../value-types/elements.ts";
import {
  arrayOf,
  bytes,
  integer,
  never,
  objectOf,
  string,
  type Type,
  unknown,
} from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import type { CallTypes } from "../builtin.ts";
import { canBe, eachMember, isOnly } from "./members.ts";

/** What stands at an index: an element, or a byte as a number. */
export function elementOfTarget({ target, args: [index] }: CallTypes): Type {
  return eachMember(target, (member) => {
    if (member.kind === "Bytes") return integer;
    return member.kind === "Array" ? elementAt(member, literalOf(index)) : never;
  });
}

function literalOf(type: Type | undefined): bigint | undefined {
  return type?.kind === "Integer" ? type.value : undefined;
}

/** The array with other elements at its end. */
export function withElements({ target, args }: CallTypes): Type {
  return arrayOf(unionOf([elementsOf(target), ...args.map((type) => type ?? never)]));
}

/** The array with the elements of others at its end. */
export function withArrays({ target, args }: CallTypes): Type {
  return arrayOf(unionOf([target, ...args.map((type) => type ?? never)].map(elementsOf)));
}

/** Arrays of one element of each array. */
export function zipped(call: CallTypes): Type {
  return arrayOf(withArrays(call));
}

/** Each element with its index. */
export function enumeratedElements({ target }: CallTypes): Type {
  return arrayOf(
    objectOf([
      ["index", integer],
      ["value", elementsOf(target)],
    ]),
  );
}

/** Elements that are arrays give theirs. */
export function flattened({ target }: CallTypes): Type {
  return arrayOf(
    eachMember(elementsOf(target), (element) => (element.kind === "Array" ? element.items : element)),
  );
}

/** Parts between separators: of text texts, of bytes bytes, of an array arrays. */
export function splitParts({ target, args: [, emptyAsNull] }: CallTypes): Type {
  const parts = partsOf(target);
  if (emptyAsNull === undefined || (emptyAsNull.kind === "Bool" && emptyAsNull.value === false)) return parts;
  return eachMember(parts, (member) =>
    member.kind === "Array" && canBe(member.items, "String", "Bytes")
      ? arrayOf(unionOf([member.items, { kind: "Null" }]))
      : member,
  );
}

/** As `splitParts`, by a query that sees characters, numbers of bytes, or elements. */
export function splitByQuery({ target, queryResult }: CallTypes): Type {
  queryResult(
    0,
    eachMember(target, (member) => {
      if (member.kind === "Bytes") return integer;
      return member.kind === "Array" ? member.items : string;
    }),
  );
  return partsOf(target);
}

function partsOf(target: Type): Type {
  const partsOfMember = (member: Type) => {
    if (member.kind === "Array") return arrayOf(arrayOf(member.items));
    return arrayOf(member.kind === "Bytes" ? bytes : string);
  };
  return eachMember(target, partsOfMember, arrayOf(unknown));
}

/** The same array in another order, or with fewer elements; a query may look at each of them. */
export function sameElements({ target, args: [given], queryResult }: CallTypes): Type {
  if (given !== undefined) queryResult(0, elementsOf(target));
  return eachMember(target, arrayOfMember, arrayOf(unknown));
}

/** As `sameElements`, where the query compares two elements. */
export function sortedElements({ target, args: [given], queryResult }: CallTypes): Type {
  const element = elementsOf(target);
  if (given !== undefined) queryResult(0, pairOf(element));
  return eachMember(target, arrayOfMember, arrayOf(unknown));
}

/** What a comparison sees of two elements. */
function pairOf(element: Type): Type {
  return objectOf([
    ["left", element],
    ["right", element],
  ]);
}

/** An array of the same elements, which may stand in other places. */
function arrayOfMember(member: Type): Type {
  return member.kind === "Array" ? arrayOf(member.items) : never;
}

/** Elements to be ordered are neither all numbers nor all texts, or a comparison of them may be no bool. */
export function unlessOrdered({ target, args: [compare], queryResult }: CallTypes): boolean {
  const element = elementsOf(target);
  return compare === undefined ? !isOrdered(element) : !isOnly(queryResult(0, pairOf(element)), "Bool");
}

/** As `unlessOrdered`, of what a query gives for each. */
export function unlessQueryIsOrdered({ target, queryResult }: CallTypes): boolean {
  return !isOrdered(queryResult(0, elementsOf(target)));
}

/** Some element, or what a query gives for it, is neither number nor text. */
export function unlessCountable({ target, args: [emit], queryResult }: CallTypes): boolean {
  const element = elementsOf(target);
  const key = emit === undefined ? element : queryResult(0, element);
  return !isOnly(key, "Integer", "Float", "String", "Bytes");
}

function isOrdered(type: Type): boolean {
  return isOnly(type, "Integer", "Float") || isOnly(type, "String", "Bytes");
}

/** Some element may be no text. */
export function unlessTexts({ target }: CallTypes): boolean {
  return !isOnly(elementsOf(target), "String", "Bytes");
}

/** Some element can be joined to no text: only texts and timestamps can. */
export function unlessJoinable({ target }: CallTypes): boolean {
  return !isOnly(elementsOf(target), "String", "Bytes", "Timestamp");
}

/** Some element of the first argument may be no text. */
export function unlessArgumentTexts({ args: [list] }: CallTypes): boolean {
  return list !== undefined && !isOnly(elementsOf(list), "String", "Bytes");
}

/** A separator of text may be no text. */
export function unlessSeparatorFits({ target, args: [delimiter] }: CallTypes): boolean {
  return canBe(target, "String", "Bytes") && !isOnly(delimiter ?? never, "String", "Bytes");
}
