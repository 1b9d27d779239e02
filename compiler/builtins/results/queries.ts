// Results of methods that ask a query about each element.

import { elementsOf, valuesOf } from "../../value-types/elements.ts";
import {
  arrayOf,
  bool,
  type Field,
  integer,
  never,
  type ObjectType,
  objectOf,
  string,
  type Type,
  unknown,
} from "../../value-types/type.ts";
import { sameType, unionOf } from "../../value-types/union.ts";
import type { CallTypes } from "../builtin.ts";
import { allOptional, canBe, eachMember, isOnly, keysOf, withoutLiterals } from "./members.ts";

/** A bool, of a test of each element. */
export function tested({ target, queryResult }: CallTypes): Type {
  queryResult(0, elementsOf(target));
  return bool;
}

/** An index, of a test of each element. */
export function indexByQuery({ target, queryResult }: CallTypes): Type {
  queryResult(0, elementsOf(target));
  return integer;
}

/** Indexes, of a test of each element. */
export function indexesByQuery(call: CallTypes): Type {
  return arrayOf(indexByQuery(call));
}

/** The test may give something else than a bool. */
export function unlessTestIsBool({ target, queryResult }: CallTypes): boolean {
  return !isOnly(queryResult(0, elementsOf(target)), "Bool");
}

/** Each element, or each field, as a query makes it: `deleted()` takes it out, `nothing()` keeps it. */
export function mapped({ target, queryResult }: CallTypes): Type {
  if (target.kind === "Unknown") {
    queryResult(0, unknown);
    return unknown;
  }
  return eachMember(target, (member) => {
    if (member.kind === "Array") return arrayOf(kept(member.items, queryResult(0, member.items)));
    return member.kind === "Object" ? mappedObject(member, queryResult) : never;
  });
}

function mappedObject({ fields, rest }: ObjectType, queryResult: CallTypes["queryResult"]): Type {
  const change = (key: Type, value: Type) => queryResult(0, entry(key, value));
  const entries = Array.from(fields, ([name, field]): [string, Field] => {
    const result = change({ kind: "String", value: name }, field.type);
    // One that is always deleted is a field of type Never: it is known not to be there.
    const required = field.required && !canBe(result, "Deleted");
    return [name, { type: kept(field.type, result), required }];
  });
  const others = rest === undefined ? undefined : kept(rest, change(string, rest));
  return { kind: "Object", fields: new Map(entries), rest: others };
}

/** What stays of a value and what a query gives for it. */
function kept(value: Type, result: Type): Type {
  return eachMember(result, (member) => {
    if (member.kind === "Nothing") return value;
    return member.kind === "Deleted" ? never : member;
  });
}

/** The elements, or fields, that pass a test; each of them may not. */
export function filtered({ target, queryResult }: CallTypes): Type {
  if (target.kind === "Unknown") {
    queryResult(0, unknown);
    return unknown;
  }
  return eachMember(target, (member) => {
    if (member.kind === "Array") {
      queryResult(0, member.items);
      return member;
    }
    if (member.kind !== "Object") return never;
    for (const [name, { type }] of member.fields)
      queryResult(0, entry({ kind: "String", value: name }, type));
    if (member.rest !== undefined) queryResult(0, entry(string, member.rest));
    return allOptional(member);
  });
}

function entry(key: Type, value: Type): Type {
  return objectOf([
    ["key", key],
    ["value", value],
  ]);
}

/** An object whose keys a query makes. */
export function renamed({ target, queryResult }: CallTypes): Type {
  const keys = eachMember(target, (member) => (member.kind === "Object" ? keysOf(member) : never));
  queryResult(0, keys.kind === "Never" ? string : keys);
  return eachMember(target, (member) => {
    if (member.kind !== "Object") return never;
    return { kind: "Object", fields: new Map(), rest: valuesOf(member) };
  });
}

/** A key may become something else than a text; `nothing()` keeps it. */
export function unlessKeyIsText({ target, queryResult }: CallTypes): boolean {
  const keys = eachMember(target, (member) => (member.kind === "Object" ? keysOf(member) : never));
  return !isOnly(queryResult(0, keys.kind === "Never" ? string : keys), "String", "Bytes", "Nothing");
}

/** Tallies whose type still changes after this many elements are not followed further. */
const mostRounds = 4;

/**
 * What is left of `fold`: the initial value, or the last result. The tally of one element is the result of the
 * one before, so that its type is followed until it stays as it is.
 */
export function folded({ target, args: [initial = unknown], queryResult }: CallTypes): Type {
  const value = elementsOf(target);
  const result = (tally: Type) =>
    queryResult(
      1,
      objectOf([
        ["tally", tally],
        ["value", value],
      ]),
    );
  let tally = withoutLiterals(initial);
  for (let round = 0; round < mostRounds; round++) {
    const next = unionOf([tally, withoutLiterals(result(tally))]);
    if (sameType(next, tally)) return tally;
    tally = next;
  }
  result(unknown);
  return unknown;
}
