// Result types of arithmetic.

import { elementsOf } from "../../value-types/elements.ts";
import { integer, type Type } from "../../value-types/type.ts";
import { anyNumber } from "../accepted.ts";
import type { CallTypes } from "../builtin.ts";
import { canBe, eachMember, isOnly, withoutLiterals } from "./members.ts";

/** Returns a number of the target's kind: integers stay integers. */
export function numberLikeTarget({ target }: CallTypes): Type {
  return eachMember(target, withoutLiterals, anyNumber);
}

/** Like `numberOfElements`; a number is its own sum. */
export function sumOfElements(call: CallTypes): Type {
  return eachMember(
    call.target,
    (member) => (member.kind === "Array" ? numberOfElements({ ...call, target: member }) : member),
    anyNumber,
  );
}

/** Whether an element of an array may not be a number. */
export function unlessSummable(call: CallTypes): boolean {
  return !isOnly(call.target, "Integer", "Float") && unlessNumbers(call);
}

/** Returns an integer if all elements are integers, otherwise any number. */
export function numberOfElements({ target }: CallTypes): Type {
  return isOnly(elementsOf(target), "Integer") ? integer : anyNumber;
}

/** Whether an element may not be a number. */
function unlessNumbers({ target }: CallTypes): boolean {
  return !isOnly(elementsOf(target), "Integer", "Float");
}

/** Whether the seed of `random_int`, a query in the first argument, may not be a number. */
export function unlessSeedIsNumber({ target, args: [seed], queryResult }: CallTypes): boolean {
  return seed !== undefined && !isOnly(queryResult(0, target), "Integer", "Float");
}

/** Whether the length of `bytes(length)` may be negative or too large. */
export function unlessSmallLength({ args: [length] }: CallTypes): boolean {
  if (length?.kind !== "Integer" || length.value === undefined) return true;
  return length.value < 0n || length.value > largestLength;
}

/** As the runtime limits the bytes of a binary. */
const largestLength = 64n * 1024n * 1024n;

/** Whether `range(start, stop, step)` may have a wrong direction, which is checked of constants, or too many elements. */
export function unlessSmallRange({ areConstant, args: [start, stop, step = oneStep] }: CallTypes): boolean {
  const [first, limit, stride] = [start, stop, step].map((type) =>
    type?.kind === "Integer" ? type.value : undefined,
  );
  if (!areConstant || first === undefined || limit === undefined || !stride) return true;
  return (limit - first) / stride > mostElements;
}

const oneStep: Type = { kind: "Integer", value: 1n };

/** As the runtime limits the elements of an array. */
const mostElements = 1_500_000n;

/** Whether the lower bound of `.slice(low, high)` may be above the upper one or beyond the end. */
export function unlessFromStart({ args: [low, high] }: CallTypes): boolean {
  const isSure = low?.kind === "Integer" && low.value !== undefined && low.value <= 0n;
  return !isSure || (high !== undefined && canBe(high, "Integer", "Float"));
}
