// Infers values with a fallback: `a | b`, `.or()`, `.catch()`.

import type { Expression, MethodCall } from "../../trees/mapping.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import { string, type Type } from "../../value-types/type.ts";
import { unionOf, without } from "../../value-types/union.ts";
import { canFail, createFailures, type FailureList } from "./failures.ts";
import { absences } from "./joining.ts";
import { createPlace } from "./place.ts";
import { entered, type Scope } from "./scope.ts";

/** `left | right`, also written `left.or(right)`: the right side if the left side fails or is null. */
export function inferCoalesce(left: Expression, right: Expression, scope: Scope): Type {
  const { type, failures } = inferGuarded(left, scope);
  const fallback = scope.inference.infer(right, scope);
  const isUnknown = type.kind === "Unknown";
  const mayMiss =
    isUnknown || canFail(failures) || alternativesOf(type).some(({ kind }) => absences.has(kind));
  if (!mayMiss && type.kind !== "Never") return type;
  return unionOf([without(type, ({ kind }) => absences.has(kind)), fallback]);
}

/** `target.catch(fallback)`: the fallback if the target fails. In it, `this` is the error. */
export function inferCatch(node: MethodCall, fallback: Expression, scope: Scope): Type {
  const { type, failures } = inferGuarded(node.receiver, scope);
  const inner = entered(scope, createPlace("this"), string);
  const other = scope.inference.infer(fallback, inner);
  if (!canFail(failures) && type.kind !== "Never") return type;
  return unionOf([type, other]);
}

/** Returns the type of an expression that has a fallback, and its possible failures. */
export function inferGuarded(
  node: Expression,
  scope: Scope,
): { readonly type: Type; readonly failures: FailureList } {
  const failures = createFailures();
  const type = scope.inference.infer(node, { ...scope, failures, isGuarded: true });
  return { type, failures };
}
