// Results of arithmetic.

import { elementsOf } from "../../value-types/elements.ts";
import { integer, type Type } from "../../value-types/type.ts";
import { anyNumber } from "../accepted.ts";
import type { CallTypes } from "../builtin.ts";
import { canBe, eachMember, isOnly, withoutLiterals } from "./members.ts";

/** A number of the target's kind: what is whole stays whole. */
export function numberLikeTarget({ target }: CallTypes): Type {
  return eachMember(target, withoutLiterals, anyNumber);
}

/** As `numberOfElements`; of a number the number itself. */
export function sumOfElements(call: CallTypes): Type {
  return eachMember(
    call.target,
    (member) => (member.kind === "Array" ? numberOfElements({ ...call, target: member }) : member),
    anyNumber,
  );
}

/** An element of an array may be no number. */
export function unlessSummable(call: CallTypes): boolean {
  return !isOnly(call.target, "Integer", "Float") && unlessNumbers(call);
}

/** A number that is whole where all elements are. */
export function numberOfElements({ target }: CallTypes): Type {
  return isOnly(elementsOf(target), "Integer") ? integer : anyNumber;
}

/** An element may be no number. */
export function unlessNumbers({ target }: CallTypes): boolean {
  return !isOnly(elementsOf(target), "Integer", "Float");
}

/** The seed of `random_int` may be no number; it is a query of the first argument. */
export function unlessSeedIsNumber({ target, args: [seed], queryResult }: CallTypes): boolean {
  return seed !== undefined && !isOnly(queryResult(0, target), "Integer", "Float");
}

/** The length of `bytes(length)` may be below zero, or more than a machine holds. */
export function unlessSmallLength({ args: [length] }: CallTypes): boolean {
  if (length?.kind !== "Integer" || length.value === undefined) return true;
  return length.value < 0n || length.value > largestLength;
}

const largestLength = 2n ** 32n;

/** The lower bound of `.slice(low, high)` may lie above the upper one, or beyond the end. */
export function unlessFromStart({ args: [low, high] }: CallTypes): boolean {
  const isSure = low?.kind === "Integer" && low.value !== undefined && low.value <= 0n;
  return !isSure || (high !== undefined && canBe(high, "Integer", "Float"));
}
