// Results that are the target once more, or part of it.

import { exceptKinds, isNullable } from "../../value-types/kinds.ts";
import { arrayOf, bytes, deletedType, never, string, type Type } from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import { anyText } from "../accepted.ts";
import type { CallTypes, ResultRule } from "../builtin.ts";
import { areLiteral, eachMember, withoutLiterals } from "./members.ts";

/** The same type whatever the call is. */
export function always(type: Type): ResultRule {
  return () => type;
}

/** The target itself, untouched: `.json_schema(…)`. */
export function sameAsTarget({ target }: CallTypes): Type {
  return target;
}

/** Another value of the target's type: bytes of bytes, the elements of an array in places of their own. */
export function likeTarget({ target }: CallTypes): Type {
  return eachMember(withoutLiterals(target), (member) =>
    member.kind === "Array" ? arrayOf(member.items) : member,
  );
}

/** As `likeTarget`, of methods on text: an unknown value is text as well. */
export function textLikeTarget({ target }: CallTypes): Type {
  return eachMember(target, ({ kind }) => (kind === "Bytes" ? bytes : string), anyText);
}

/** The target without null. */
export function notNull({ target }: CallTypes): Type {
  return exceptKinds(target, ["null"]);
}

/** The target, whose text is not the empty one and whose array has elements. */
export function notEmpty({ target }: CallTypes): Type {
  return eachMember(target, (member) => {
    const isEmpty =
      (member.kind === "String" && member.value === "") ||
      (member.kind === "Array" && member.items.kind === "Never") ||
      (member.kind === "Object" && member.fields.size === 0 && member.rest === undefined);
    return isEmpty ? never : member;
  });
}

/** What stands in for the target where it is missing: `.or(…)`. */
export function orFallback(call: CallTypes): Type {
  const fallback = call.queryResult(0, call.target);
  return unionOf([exceptKinds(call.target, ["null", "delete", "nothing"]), fallback]);
}

/** The target, or what a query makes of the error's text: `.catch(…)`. */
export function catchFallback({ target, queryResult }: CallTypes): Type {
  return unionOf([target, queryResult(0, string)]);
}

/** What a query makes of the target: `.map(…)`. */
export function queryOfTarget({ target, queryResult }: CallTypes): Type {
  return queryResult(0, target);
}

/** The target can be null. */
export function onNull({ target }: CallTypes): boolean {
  return isNullable(target);
}

/** Some argument is not a literal: the builtin's `rule` has checked those that are. */
export function unlessLiteral(call: CallTypes): boolean {
  return !areLiteral(call);
}

/** Any argument is given. */
export function withArguments({ args }: CallTypes): boolean {
  return args.some((type) => type !== undefined);
}

/** The marker that `deleted()` gives. */
export const deletion: ResultRule = always(deletedType);
