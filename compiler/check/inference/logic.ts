// Infers expressions that decide, with the facts that are known if they are true and if they are false.

import { segmentsOf } from "../../builtins/results/paths.ts";
import { once } from "../../model/written.ts";
import type { Binary, BinaryOperator, Expression, MethodCall } from "../../trees/mapping.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import { elementsOf } from "../../value-types/elements.ts";
import { bool, type Type, unknown } from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import { requireKinds, shownTypes, wasReported } from "./demands.ts";
import { changedPlaces, findState, narrowed, type TypeEnvironment } from "./environment.ts";
import { onlyValueOf } from "./equality.ts";
import { limited } from "./joining.ts";
import {
  below,
  literalArgument,
  narrowPresence,
  narrowReference,
  referenceOf,
} from "./narrowing/references.ts";
import type { Refine } from "./narrowing/refine.ts";
import { decides, equalTo, oneOf, unlike } from "./narrowing/refiners.ts";
import { demandOf } from "./operators.ts";
import type { PlaceReference } from "./place.ts";
import { fail, labelled, type Scope, type Test, within } from "./scope.ts";
import { decisive } from "./type-sets.ts";

/** Infers an expression that decides between branches. */
export function inferTest(node: Expression, scope: Scope): Test {
  switch (node.kind) {
    case "Group":
      return remember(node, inferTest(node.inner, scope), scope);
    case "Not":
      return negated(scope.inference.infer(node, scope), node.operand, scope);
    case "Lambda":
      return remember(node, inferTest(node.body, labelled(scope, node.parameter.text)), scope);
    case "Binary":
      return inferBinaryTest(node, scope);
    case "MethodCall":
      return inferMethodTest(node, scope);
    default:
      return truthOf(node, scope);
  }
}

/** Whether an expression is a value rather than a condition, as other languages allow after `||`. */
function isFallback({ kind }: Expression): boolean {
  return (
    kind === "StringLiteral" ||
    kind === "IntegerLiteral" ||
    kind === "FloatLiteral" ||
    kind === "ArrayLiteral" ||
    kind === "ObjectLiteral"
  );
}

/** `a && b`, `a || b`: the right side is evaluated only if the left side has not decided. */
export function inferLogic(node: Binary, scope: Scope): Test {
  const isAnd = node.operator === "&&";
  const left = inferTest(node.left, scope);
  const isDecided = left.type.kind === "Bool" && left.type.value === !isAnd;
  if (!isAnd && isFallback(node.right) && !isDecided && !scope.isGuarded) {
    const found = shownTypes([scope.inference.infer(node.right, scope)].flatMap(alternativesOf));
    fail(scope, node.span, "type", `\`||\` does not accept ${found}`);
    const expected = "For a fallback where a value is null or fails, write `|`.";
    scope.inference.report("GW3102", node.right.span, { operator: "||", found, expected });
    return remember(
      node,
      { type: unknown, whenTrue: () => scope.environment, whenFalse: () => scope.environment },
      scope,
    );
  }
  const a = requireKinds(node.left, left.type, demandOf(node.left, node.operator, decisive, scope), scope);
  const between = within(scope, isAnd ? left.whenTrue() : left.whenFalse());
  const right = inferTest(node.right, between);
  const demand = demandOf(node.right, node.operator, decisive, scope);
  const b = isDecided ? right.type : requireKinds(node.right, right.type, demand, between);
  const type = wasReported(left.type, a) || wasReported(right.type, b) ? unknown : bool;
  const both = isAnd ? right.whenTrue : right.whenFalse;
  const one = once(() =>
    isAnd
      ? either(scope.environment, left.whenFalse(), right.whenFalse())
      : either(scope.environment, left.whenTrue(), right.whenTrue()),
  );
  return remember(node, { type, whenTrue: isAnd ? both : one, whenFalse: isAnd ? one : both }, scope);
}

function remember(node: Expression, test: Test, scope: Scope): Test {
  const { types } = scope.inference;
  const before = types.get(node);
  types.set(node, before === undefined ? test.type : unionOf([before, test.type]));
  return test;
}

function inferBinaryTest(node: Binary, scope: Scope): Test {
  switch (node.operator) {
    case "&&":
    case "||":
      return inferLogic(node, scope);
    case "==":
      return equality(node, scope, true);
    case "!=":
      return equality(node, scope, false);
    case ">":
    case ">=":
    case "<":
    case "<=":
      return order(node, scope);
    default:
      return truthOf(node, scope);
  }
}

/** Returns a test that narrows the place that `node` reads, if it reads one. */
function narrowing(
  type: Type,
  node: Expression,
  refine: { readonly whenTrue: Refine; readonly whenFalse: Refine },
  scope: Scope,
): Test {
  const reference = referenceOf(node, scope);
  const after = (change: Refine) =>
    reference === undefined ? scope.environment : narrowReference(scope.environment, reference, change);
  return {
    type,
    whenTrue: once(() => after(refine.whenTrue)),
    whenFalse: once(() => after(refine.whenFalse)),
  };
}

function truthOf(node: Expression, scope: Scope): Test {
  const type = scope.inference.infer(node, scope);
  return narrowing(type, node, { whenTrue: decides(true), whenFalse: decides(false) }, scope);
}

/** The operand was inferred with the whole expression; only its reference matters here. */
function negated(type: Type, operand: Expression, scope: Scope): Test {
  const inner = withoutInference(operand, scope);
  return { type, whenTrue: inner.whenFalse, whenFalse: inner.whenTrue };
}

function equality(node: Binary, scope: Scope, isEqual: boolean): Test {
  const type = scope.inference.infer(node, scope);
  const holds = once(() => compareBoth(node, scope, equalTo));
  const fails = once(() => compareBoth(node, scope, unlike));
  return { type, whenTrue: isEqual ? holds : fails, whenFalse: isEqual ? fails : holds };
}

/** A comparison of a length may show that something is not empty. */
function order(node: Binary, scope: Scope): Test {
  const type = scope.inference.infer(node, scope);
  const after = (isTrue: boolean) => {
    const { types } = scope.inference;
    let environment = scope.environment;
    for (const [read, operator, other] of [
      [node.left, node.operator, node.right],
      [node.right, mirrored[node.operator], node.left],
    ] as const) {
      const reference = lengthReferenceOf(read, scope);
      const limit = types.get(other);
      const refine = operator && limit && orderedBy(operator, limit, isTrue);
      if (reference !== undefined && refine !== undefined)
        environment = narrowReference(environment, reference, refine);
    }
    return environment;
  };
  return { type, whenTrue: once(() => after(true)), whenFalse: once(() => after(false)) };
}

/** Narrows what each side reads by the type of the other side. */
function compareBoth(node: Binary, scope: Scope, refiner: (other: Type) => Refine): TypeEnvironment {
  const { types } = scope.inference;
  let environment = scope.environment;
  for (const [read, other] of [
    [node.left, node.right],
    [node.right, node.left],
  ] as const) {
    const reference = referenceOf(read, scope) ?? lengthReferenceOf(read, scope);
    const type = types.get(other);
    if (reference !== undefined && type !== undefined)
      environment = narrowReference(environment, reference, refiner(type));
  }
  return environment;
}

function inferMethodTest(node: MethodCall, scope: Scope): Test {
  const name = node.name.text;
  if (name === "exists") return presence(node, node.receiver, segmentsOf, scope);
  if (name === "contains") {
    const object = literalArgument(node) === undefined ? undefined : objectOfKeys(node.receiver);
    return object === undefined ? membership(node, scope) : presence(node, object, (key) => [key], scope);
  }
  if (name === "not") return negated(scope.inference.infer(node, scope), node.receiver, scope);
  return truthOf(node, scope);
}

/** `x.exists("a.b")` and `x.keys().contains("a")`: `read` splits the text into the names of fields in `object`. */
function presence(
  node: MethodCall,
  object: Expression,
  read: (text: string) => readonly string[],
  scope: Scope,
): Test {
  const type = scope.inference.infer(node, scope);
  const text = literalArgument(node);
  const reference = text === undefined ? undefined : below(referenceOf(object, scope), read(text));
  const after = (isThere: boolean) =>
    reference === undefined ? scope.environment : narrowPresence(scope.environment, reference, isThere);
  return { type, whenTrue: once(() => after(true)), whenFalse: once(() => after(false)) };
}

/** Returns `x` of `x.keys()`; `undefined` for other expressions. */
function objectOfKeys(node: Expression): Expression | undefined {
  if (node.kind === "Group") return objectOfKeys(node.inner);
  return node.kind === "MethodCall" && node.name.text === "keys" ? node.receiver : undefined;
}

/** `["a", "b"].contains(x)` reveals as much about `x` as two comparisons. */
function membership(node: MethodCall, scope: Scope): Test {
  const { infer, types, facts } = scope.inference;
  const type = infer(node, scope);
  const [arg] = node.args;
  const receiver = types.get(node.receiver);
  if (arg === undefined || receiver?.kind !== "Array") return truthOfKnown(type, scope);
  const others = alternativesOf(elementsOf(receiver));
  // An array literal certainly contains all of its elements; of other arrays only the element type is known.
  const folded = facts.folder.fold(node.receiver);
  const isWritten = folded !== undefined && others.every((other) => onlyValueOf(other) !== undefined);
  const refine = {
    whenTrue: oneOf(others, true),
    whenFalse: isWritten ? oneOf(others, false) : (same: Type) => same,
  };
  return narrowing(type, arg.value, refine, scope);
}

function truthOfKnown(type: Type, { environment }: Scope): Test {
  return { type, whenTrue: () => environment, whenFalse: () => environment };
}

/** Returns the outcomes of an expression that was inferred already. */
function withoutInference(node: Expression, scope: Scope): Test {
  const { types } = scope.inference;
  const known = (inferred: Expression): Type => types.get(inferred) ?? { kind: "Unknown" };
  return inferTest(node, { ...scope, inference: { ...scope.inference, infer: known } });
}

/** Returns the facts after either of two outcomes, for the places that both of them narrowed. */
function either(origin: TypeEnvironment, a: TypeEnvironment, b: TypeEnvironment): TypeEnvironment {
  let result = origin;
  const others = changedPlaces(b, origin);
  for (const place of changedPlaces(a, origin)) {
    const [left, right] = [findState(a, place), findState(b, place)];
    if (!others.has(place) || left === undefined || right === undefined) continue;
    result = narrowed(result, place, limited(unionOf([left.type, right.type])));
  }
  return result;
}

/**
 * Returns `this.a` with its length as view for `this.a.or([]).length()`; `undefined` if the expression is not a length.
 */
function lengthReferenceOf(node: Expression, scope: Scope): PlaceReference | undefined {
  if (node.kind === "Group") return lengthReferenceOf(node.inner, scope);
  if (node.kind !== "MethodCall" || node.name.text !== "length") return undefined;
  const measured = referenceOf(node.receiver, scope);
  if (measured === undefined) return undefined;
  const { of } = measured.view;
  const view = {
    of: (alternative: Type) => unionOf(alternativesOf(of(alternative)).map(lengthOf)),
    back: (alternative: Type) => alternative,
  };
  return { ...measured, view };
}

/** Returns the type of a length: types reveal only whether something is empty. */
function lengthOf(type: Type): Type {
  const isEmpty =
    (type.kind === "Array" && type.items.kind === "Never") ||
    (type.kind === "Object" && type.fields.size === 0 && type.rest === undefined) ||
    (type.kind === "String" && type.value === "");
  return isEmpty ? { kind: "Integer", value: 0n } : { kind: "Integer" };
}

/** Narrows `value` after `value > other` was true or false; `undefined` for operators that do not order. */
function orderedBy(operator: BinaryOperator, other: Type, isTrue: boolean): Refine | undefined {
  const limit = onlyValueOf(other);
  const compare = orders[operator];
  if (typeof limit !== "bigint" || compare === undefined) return undefined;
  const isLeft = (type: Type) =>
    type.kind !== "Integer" || type.value === undefined || compare(type.value, limit) === isTrue;
  return (type) => unionOf(alternativesOf(type).filter(isLeft));
}

const orders: Readonly<Partial<Record<BinaryOperator, (a: bigint, b: bigint) => boolean>>> = {
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
};

/** `a > b` is the same as `b < a`. */
const mirrored: Readonly<Partial<Record<BinaryOperator, BinaryOperator>>> = {
  ">": "<",
  ">=": "<=",
  "<": ">",
  "<=": ">=",
};
