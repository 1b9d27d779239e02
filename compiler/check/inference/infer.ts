// An expression of any kind in, its type out.

import { unreachable } from "../../diagnostics/invariant.ts";
import type { Binary, Expression, Not } from "../../trees/mapping.ts";
import { bool, string, type Type } from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import { inferIndex, inferSlice } from "./brackets.ts";
import { inferIf, inferMap, inferMatch } from "./branches.ts";
import { inferEquality } from "./comparisons.ts";
import { ofTypeKinds, requireKinds, tell } from "./demands.ts";
import { inferCoalesce } from "./fallbacks.ts";
import { inferField } from "./fields.ts";
import { inferFunction, inferMethod } from "./language-calls.ts";
import { inferLogic } from "./logic.ts";
import { inferCalculation, inferNegation } from "./operators.ts";
import { inferLabel, inferMetadata, inferRoot, inferThis, inferVariable } from "./reads.ts";
import { labelled, type Scope } from "./scope.ts";
import { inferArray, inferObject, typeOfConstant } from "./values.ts";

/** The type of an expression, remembered with those it had in other scopes. */
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

/** `!a`: the operand is a real bool. */
function inferNot({ operand }: Not, scope: Scope): Type {
  const { type } = scope.inference.test(operand, scope);
  const codes = { certain: "GW3102", possible: "GW3103" } as const;
  const demand = {
    takes: ofTypeKinds(new Set(["Bool"])),
    user: "!",
    tell: (found: string, isCertain: boolean) =>
      tell(scope, codes, operand, { operator: "!", found, expected: "It accepts a boolean." }, isCertain),
  };
  requireKinds(operand, type, demand, scope);
  return type.kind === "Bool" && type.value !== undefined ? { kind: "Bool", value: !type.value } : bool;
}
