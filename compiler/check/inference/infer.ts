// Infers an expression of any kind; `value[i]` and `value[a:b:c]` are inferred here.

import { unreachable } from "../../diagnostics/invariant.ts";
import type { Binary, Expression, IndexAccess, Not, Slice } from "../../trees/mapping.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import { elementAt } from "../../value-types/elements.ts";
import { fieldOf } from "../../value-types/fields.ts";
import { arrayOf, bool, integer, string, type Type, unknown } from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import { inferIf, inferMap, inferMatch } from "./branches.ts";
import { inferEquality } from "./comparisons.ts";
import { ofTypeKinds, reportMistake, requireKinds, type TypeDemand, wasReported } from "./demands.ts";
import { inferCoalesce } from "./fallbacks.ts";
import { inferField } from "./fields.ts";
import { inferFunction, inferMethod } from "./language-calls.ts";
import { inferLogic } from "./logic.ts";
import { inferCalculation, inferNegation } from "./operators.ts";
import { inferLabel, inferMetadata, inferRoot, inferThis, inferVariable } from "./reads.ts";
import { fail, labelled, type Scope } from "./scope.ts";
import { indexable, numeric, type TypeKinds } from "./type-sets.ts";
import { inferArray, inferObject, typeOfConstant } from "./values.ts";

/** Returns the type of an expression, and records it together with its types in other scopes. */
export function inferExpression(node: Expression, scope: Scope): Type {
  const type = inferNode(node, scope);
  const { types } = scope.inference;
  const before = types.get(node);
  types.set(node, before === undefined || before === type ? type : unionOf([before, type]));
  return type;
}

function inferNode(node: Expression, scope: Scope): Type {
  switch (node.kind) {
    case "NullLiteral":
      return typeOfConstant(null);
    case "BooleanLiteral":
    case "IntegerLiteral":
    case "StringLiteral":
      return typeOfConstant(node.value);
    case "FloatLiteral":
      return { kind: "Float" };
    case "VariableText":
      return string;
    case "ArrayLiteral":
      return inferArray(node, scope);
    case "ObjectLiteral":
      return inferObject(node, scope);
    case "This":
      return inferThis(node, scope);
    case "Root":
      return inferRoot(node.span, scope);
    case "ContextName":
      return inferLabel(node, scope);
    case "Variable":
      return inferVariable(node, scope);
    case "Metadata":
      return inferMetadata(node, scope);
    case "FieldAccess":
      return inferField(node, scope);
    case "MethodCall":
      return inferMethod(node, scope);
    case "FunctionCall":
      return inferFunction(node, scope);
    case "MapExpression":
      return inferMap(node, scope);
    case "IndexAccess":
      return inferIndex(node, scope);
    case "Slice":
      return inferSlice(node, scope);
    case "Negate":
      return inferNegation(node, scope);
    case "Not":
      return inferNot(node, scope);
    case "Binary":
      return inferBinary(node, scope);
    case "Group":
      return scope.inference.infer(node.inner, scope);
    case "IfExpression":
      return inferIf(node, scope);
    case "MatchExpression":
      return inferMatch(node, scope);
    case "Lambda":
      return scope.inference.infer(node.body, labelled(scope, node.parameter.text));
    default:
      return unreachable(node);
  }
}

function inferBinary(node: Binary, scope: Scope): Type {
  switch (node.operator) {
    case "|":
      return inferCoalesce(node.left, node.right, scope);
    case "&&":
    case "||":
      return inferLogic(node, scope).type;
    case "==":
    case "!=":
      return inferEquality(node, scope);
    default:
      return inferCalculation(node, node.operator, scope);
  }
}

/** `!a`: the operand must be a real bool. */
function inferNot({ operand }: Not, scope: Scope): Type {
  const { type } = scope.inference.test(operand, scope);
  const codes = { certain: "GW3102", possible: "GW3103" } as const;
  const demand = {
    takes: ofTypeKinds(new Set(["Bool"])),
    user: "!",
    report: (found: string, isCertain: boolean) =>
      reportMistake(
        scope,
        codes,
        operand,
        { operator: "!", found, expected: "It accepts a boolean." },
        isCertain,
      ),
  };
  if (wasReported(type, requireKinds(operand, type, demand, scope))) return unknown;
  return type.kind === "Bool" && type.value !== undefined ? { kind: "Bool", value: !type.value } : bool;
}

/** `value[i]`: an element, a character of text, or a byte as a number. */
function inferIndex(node: IndexAccess, scope: Scope): Type {
  if (node.index.kind === "StringLiteral" && !scope.isGuarded) {
    const expected = `An index must be a number. Read a field with a dot: \`."${node.index.value}"\`.`;
    scope.inference.infer(node.receiver, scope);
    fail(scope, node.span, "type", "an index must be a number");
    scope.inference.report("GW3102", node.index.span, { operator: "[…]", found: "`string`", expected });
    return unknown;
  }
  const taken = inferTarget(node.receiver, scope);
  const index = inferBound(node.index, scope);
  fail(scope, node.span, "bounds", "the index may be out of bounds");
  if (taken.kind === "Unknown") return unknown;
  return unionOf(
    alternativesOf(taken).map((each) => {
      if (each.kind === "Array") return elementAt(each, index.kind === "Integer" ? index.value : undefined);
      return each.kind === "String" ? string : integer;
    }),
  );
}

/** `value[a:b:c]`: a part of the same type. */
function inferSlice(node: Slice, scope: Scope): Type {
  const taken = inferTarget(node.receiver, scope);
  for (const bound of [node.start, node.stop, node.step]) if (bound !== undefined) inferBound(bound, scope);
  const { start, stop, step } = node;
  // A single bound is never in the wrong order; a step may be zero.
  if ((start !== undefined && stop !== undefined) || step !== undefined) {
    fail(scope, node.span, "bounds", "the lower bound may exceed the upper bound");
  }
  if (taken.kind === "Unknown") return unknown;
  return unionOf(
    alternativesOf(taken).map((each) => {
      if (each.kind === "Array") return arrayOf(each.items);
      return each.kind === "String" ? string : each;
    }),
  );
}

function inferTarget(receiver: Expression, scope: Scope): Type {
  const type = scope.inference.infer(receiver, scope);
  return requireKinds(
    receiver,
    type,
    demandOf(receiver, indexable, "It accepts arrays, strings and bytes.", scope),
    scope,
  );
}

function inferBound(bound: Expression, scope: Scope): Type {
  const type = scope.inference.infer(bound, scope);
  return requireKinds(bound, type, demandOf(bound, numeric, "An index must be a number.", scope), scope);
}

function demandOf(node: Expression, kinds: TypeKinds, expected: string, scope: Scope): TypeDemand {
  const codes = { certain: "GW3102", possible: "GW3103" } as const;
  return {
    takes: ofTypeKinds(kinds),
    user: "[…]",
    report: (found, isCertain) =>
      reportMistake(scope, codes, node, { operator: "[…]", found, expected }, isCertain),
  };
}

/**
 * Returns the type of an expression of a script whose `types` were inferred. Of a chain of fields, `this.a.b.c`,
 * inference records only the whole and the beginning; the types between are derived. `Unknown` if nothing was inferred.
 */
export function knownType(node: Expression, types: ReadonlyMap<Expression, Type>): Type {
  const found = types.get(node);
  if (found !== undefined) return found;
  if (node.kind === "FieldAccess") return fieldOf(knownType(node.receiver, types), node.name.text).type;
  return node.kind === "Group" ? knownType(node.inner, types) : unknown;
}
