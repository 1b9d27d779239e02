// Result types of methods on arrays that return elements, or arrays of the same or other elements.

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

/** Returns the type at an index: an element, or a byte as a number. */
export function elementOfTarget({ target, args: [index] }: CallTypes): Type {
  return eachMember(target, (member) => {
    if (member.kind === "Bytes") return integer;
    return member.kind === "Array" ? elementAt(member, literalOf(index)) : never;
  });
}

function literalOf(type: Type | undefined): bigint | undefined {
  return type?.kind === "Integer" ? type.value : undefined;
}

/** Returns the array with further elements appended. */
export function withElements({ target, args }: CallTypes): Type {
  return arrayOf(unionOf([elementsOf(target), ...args.map((type) => type ?? never)]));
}

/** Returns the array with the elements of other arrays appended. */
export function withArrays({ target, args }: CallTypes): Type {
  return arrayOf(unionOf([target, ...args.map((type) => type ?? never)].map(elementsOf)));
}

/** Returns an array of arrays, each with one element of every input array. */
export function zipped(call: CallTypes): Type {
  return arrayOf(withArrays(call));
}

/** Returns an array of objects with each element and its index. */
export function enumeratedElements({ target }: CallTypes): Type {
  return arrayOf(
    objectOf([
      ["index", integer],
      ["value", elementsOf(target)],
    ]),
  );
}

/** Returns the array with nested arrays replaced by their elements. */
export function flattened({ target }: CallTypes): Type {
  return arrayOf(
    eachMember(elementsOf(target), (element) => (element.kind === "Array" ? element.items : element)),
  );
}

/** Returns the parts between separators: texts of text, bytes of bytes, arrays of an array. */
export function splitParts({ target, args: [, emptyAsNull] }: CallTypes): Type {
  const parts = partsOf(target);
  if (emptyAsNull === undefined || (emptyAsNull.kind === "Bool" && emptyAsNull.value === false)) return parts;
  return eachMember(parts, (member) =>
    member.kind === "Array" && canBe(member.items, "String", "Bytes")
      ? arrayOf(unionOf([member.items, { kind: "Null" }]))
      : member,
  );
}

/** Like `splitParts`, with a query that reads characters, numbers of bytes, or elements. */
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

/** Returns an array of the same elements, reordered or fewer. A query may read each of them. */
export function sameElements({ target, args: [given], queryResult }: CallTypes): Type {
  if (given !== undefined) queryResult(0, elementsOf(target));
  return eachMember(target, arrayOfMember, arrayOf(unknown));
}

/** Like `sameElements`, with a query that compares two elements. */
export function sortedElements({ target, args: [given], queryResult }: CallTypes): Type {
  const element = elementsOf(target);
  if (given !== undefined) queryResult(0, pairOf(element));
  return eachMember(target, arrayOfMember, arrayOf(unknown));
}

/** Returns the `this` of a comparison of two elements. */
function pairOf(element: Type): Type {
  return objectOf([
    ["left", element],
    ["right", element],
  ]);
}

/** Returns an array type with the same elements at any position. */
function arrayOfMember(member: Type): Type {
  return member.kind === "Array" ? arrayOf(member.items) : never;
}

/** Whether the elements to sort may be neither all numbers nor all texts, or a comparison may not return a bool. */
export function unlessOrdered({ target, args: [compare], queryResult }: CallTypes): boolean {
  const element = elementsOf(target);
  return compare === undefined ? !isOrdered(element) : !isOnly(queryResult(0, pairOf(element)), "Bool");
}

/** Like `unlessOrdered`, for the results of a query for each element. */
export function unlessQueryIsOrdered({ target, queryResult }: CallTypes): boolean {
  return !isOrdered(queryResult(0, elementsOf(target)));
}

/** Whether an element, or the result of a query for it, may be neither number nor text. */
export function unlessCountable({ target, args: [emit], queryResult }: CallTypes): boolean {
  const element = elementsOf(target);
  const key = emit === undefined ? element : queryResult(0, element);
  return !isOnly(key, "Integer", "Float", "String", "Bytes", "Timestamp");
}

function isOrdered(type: Type): boolean {
  return isOnly(type, "Integer", "Float") || isOnly(type, "String", "Bytes");
}

/** Whether an element may not be text. */
export function unlessTexts({ target }: CallTypes): boolean {
  return !isOnly(elementsOf(target), "String", "Bytes");
}

/** Whether an element of the first argument may not be text. */
export function unlessArgumentTexts({ args: [list] }: CallTypes): boolean {
  return list !== undefined && !isOnly(elementsOf(list), "String", "Bytes");
}

/** Whether the separator of a text may not be text. */
export function unlessSeparatorFits({ target, args: [delimiter] }: CallTypes): boolean {
  return canBe(target, "String", "Bytes") && !isOnly(delimiter ?? never, "String");
}
