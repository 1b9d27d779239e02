// Result types that are derived from the target.

import { exceptKinds, isNullable } from "../../value-types/kinds.ts";
import { arrayOf, bytes, deletedType, never, string, type Type } from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import { anyText } from "../accepted.ts";
import type { CallTypes, ResultRule } from "../builtin.ts";
import { eachMember, withoutLiterals } from "./members.ts";

/** Returns a rule with the same type for every call. */
export function always(type: Type): ResultRule {
  return () => type;
}

/** Returns the target unchanged: `.json_schema(…)`. */
export function sameAsTarget({ target }: CallTypes): Type {
  return target;
}

/** Returns another value of the target's type: bytes of bytes, an array with the same elements at any position. */
export function likeTarget({ target }: CallTypes): Type {
  return eachMember(withoutLiterals(target), (member) =>
    member.kind === "Array" ? arrayOf(member.items) : member,
  );
}

/** Like `likeTarget`, for methods on text: an unknown target is text as well. */
export function textLikeTarget({ target }: CallTypes): Type {
  return eachMember(target, ({ kind }) => (kind === "Bytes" ? bytes : string), anyText);
}

/** Returns the target without null. */
export function notNull({ target }: CallTypes): Type {
  return exceptKinds(target, ["null"]);
}

/** Returns the target without empty texts and empty arrays. */
export function notEmpty({ target }: CallTypes): Type {
  return eachMember(target, (member) => {
    const isEmpty =
      (member.kind === "String" && member.value === "") ||
      (member.kind === "Array" && member.items.kind === "Never") ||
      (member.kind === "Object" && member.fields.size === 0 && member.rest === undefined);
    return isEmpty ? never : member;
  });
}

/** Returns the target, or a fallback if it is missing: `.or(…)`. */
export function orFallback(call: CallTypes): Type {
  const fallback = call.queryResult(0, call.target);
  return unionOf([exceptKinds(call.target, ["null", "delete", "nothing"]), fallback]);
}

/** Returns the target, or the result of a query on the error text: `.catch(…)`. */
export function catchFallback({ target, queryResult }: CallTypes): Type {
  return unionOf([target, queryResult(0, string)]);
}

/** Returns the result of a query on the target: `.map(…)`. */
export function queryOfTarget({ target, queryResult }: CallTypes): Type {
  return queryResult(0, target);
}

/** Whether the target can be null. */
export function onNull({ target }: CallTypes): boolean {
  return isNullable(target);
}

/** Whether an argument is computed. The builtin's `rule` has checked constants. */
export function unlessConstant({ areConstant }: CallTypes): boolean {
  return !areConstant;
}

/** Whether any argument is given. */
export function withArguments({ args }: CallTypes): boolean {
  return args.some((type) => type !== undefined);
}

/** The type of `deleted()`. */
export const deletion: ResultRule = always(deletedType);
