// Result types of methods that evaluate a query for each element.

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

/** Returns a bool, for methods that test each element. */
export function tested({ target, queryResult }: CallTypes): Type {
  queryResult(0, elementsOf(target));
  return bool;
}

/** Returns an index, for methods that test each element. */
export function indexByQuery({ target, queryResult }: CallTypes): Type {
  queryResult(0, elementsOf(target));
  return integer;
}

/** Returns indexes, for methods that test each element. */
export function indexesByQuery(call: CallTypes): Type {
  return arrayOf(indexByQuery(call));
}

/** Whether the test may not return a bool. */
export function unlessTestIsBool({ target, queryResult }: CallTypes): boolean {
  return !isOnly(queryResult(0, elementsOf(target)), "Bool");
}

/** Returns the results of a query for each element or field: `deleted()` removes it, `nothing()` keeps it. */
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
    // A field that is always deleted has type Never: it is known to be absent.
    const required = field.required && !canBe(result, "Deleted");
    return [name, { type: kept(field.type, result), required }];
  });
  const others = rest === undefined ? undefined : kept(rest, change(string, rest));
  return { kind: "Object", fields: new Map(entries), rest: others };
}

/** Returns the type of an element after a query: the original value, the result, or both. */
function kept(value: Type, result: Type): Type {
  return eachMember(result, (member) => {
    if (member.kind === "Nothing") return value;
    return member.kind === "Deleted" ? never : member;
  });
}

/** Returns the elements or fields that pass a test. Each of them may fail it. */
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

/** Returns an object whose keys a query computes. */
export function renamed({ target, queryResult }: CallTypes): Type {
  const keys = eachMember(target, (member) => (member.kind === "Object" ? keysOf(member) : never));
  queryResult(0, keys.kind === "Never" ? string : keys);
  return eachMember(target, (member) => {
    if (member.kind !== "Object") return never;
    return { kind: "Object", fields: new Map(), rest: valuesOf(member) };
  });
}

/** Whether a computed key may not be text; `nothing()` keeps the key. */
export function unlessKeyIsText({ target, queryResult }: CallTypes): boolean {
  const keys = eachMember(target, (member) => (member.kind === "Object" ? keysOf(member) : never));
  return !isOnly(queryResult(0, keys.kind === "Never" ? string : keys), "String", "Bytes", "Nothing");
}

/** Maximum number of elements for which the type of the tally is followed. */
const mostRounds = 4;

/**
 * Returns the result of `fold`: the initial value or the last result. The tally for an element is the result for the
 * previous one, so its type is computed repeatedly until it no longer changes.
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
