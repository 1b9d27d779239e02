// Lowers expressions: one function for each kind of node, all called from one dispatcher.

import { invariant, unreachable } from "../../diagnostics/invariant.ts";
import type {
  ArrayLiteral,
  Binary,
  Expression,
  IndexAccess,
  MetadataExpression,
  ObjectLiteral,
  Slice,
  VariableText,
} from "../../trees/mapping.ts";
import type { NamedVariable } from "../../trees/named-variables.ts";
import { planCoalesce, planFunction, planMethod, planVariable } from "./calls.ts";
import { planChoice, planLambda, planMapExpression, planMatch } from "./control.ts";
import { anything, constant, worst } from "./facts.ts";
import type { Planned, VariableRead } from "./ir.ts";
import { planField, planLabel, planRoot, planThis } from "./paths.ts";
import { type PlanScope, planExpression } from "./scope.ts";

/** Returns the plan of an expression in its scope. */
export function lowerExpression(node: Expression, scope: PlanScope): Planned {
  // A constant in parentheses is described in errors like the expression inside the parentheses.
  if (node.kind === "Group") return planExpression(node.inner, scope);
  const folded = scope.facts.folder.fold(node);
  if (folded !== undefined && "value" in folded) {
    const known = constant(node.span, folded.value);
    return node.kind === "MethodCall" ? { ...known, from: `method ${node.name.text}` } : known;
  }
  switch (node.kind) {
    case "NullLiteral":
    case "BooleanLiteral":
    case "IntegerLiteral":
    case "FloatLiteral":
    case "StringLiteral":
      return constant(node.span, node.kind === "NullLiteral" ? null : literalValue(node));
    case "VariableText":
      return planVariableText(node);
    case "ArrayLiteral":
      return planArray(node, scope);
    case "ObjectLiteral":
      return planObject(node, scope);
    case "This":
      return planThis(node.span, scope);
    case "Root":
      return planRoot(node.span, scope);
    case "ContextName":
      return planLabel(node, scope);
    case "Variable":
      return planVariable(node.name, node.span, scope);
    case "Metadata":
      return planMetadata(node);
    case "FieldAccess":
      return planField(node, scope);
    case "MethodCall":
      return planMethod(node, scope);
    case "FunctionCall":
      return planFunction(node, scope);
    case "MapExpression":
      return planMapExpression(node, scope);
    case "IndexAccess":
      return planIndex(node, scope);
    case "Slice":
      return planSlice(node, scope);
    case "Negate": {
      const right = planExpression(node.operand, scope);
      const left = constant(node.span, 0n);
      return {
        kind: "Calculate",
        operator: "-",
        left,
        right,
        ...anything(node.span, right.from),
        type: "number",
      };
    }
    case "Not": {
      const operand = planExpression(node.operand, scope);
      const fails = operand.type === "boolean" ? operand.fails : "maybe";
      return { kind: "Not", operand, ...anything(node.span, `not ${operand.from}`), type: "boolean", fails };
    }
    case "Binary":
      return planBinary(node, scope);
    case "IfExpression":
      return planChoice(node, scope);
    case "MatchExpression":
      return planMatch(node, scope);
    case "Lambda":
      return planLambda(node, scope);
    default:
      return unreachable(node);
  }
}

function literalValue(
  node: Extract<Expression, { kind: "BooleanLiteral" | "IntegerLiteral" | "FloatLiteral" | "StringLiteral" }>,
) {
  return node.kind === "FloatLiteral" ? ({ kind: "float", value: node.value } as const) : node.value;
}

/** Lowers a text with variables. Variables that cannot be read were reported before and prevent the set from being planned. */
function planVariableText({ parts, span }: VariableText): Planned {
  const planned = parts.map((part) => (typeof part === "string" ? part : planRead(part)));
  const facts = { ...anything(span, "string literal"), type: "string", fails: "never" } as const;
  return { kind: "VariableText", parts: planned, ...facts };
}

function planRead(part: NamedVariable): VariableRead {
  invariant(part.kind !== "Unknown", "the variables of a checked script are known");
  if (part.kind === "Variable") return { from: "environment", name: part.name };
  return { from: "request", name: `${part.source}.${part.name}` };
}

function planArray(node: ArrayLiteral, scope: PlanScope): Planned {
  const elements = node.elements.map((element) => planExpression(element, scope));
  const fails = worst(...elements.map((element) => element.fails));
  return { kind: "MakeArray", elements, ...anything(node.span, "array literal"), type: "array", fails };
}

function planObject(node: ObjectLiteral, scope: PlanScope): Planned {
  const entries = node.entries.map((entry) => {
    const key = planExpression(entry.key, scope);
    const value = planExpression(entry.value, scope);
    return { key: key.kind === "Constant" && typeof key.value === "string" ? key.value : key, value };
  });
  const fails = worst(
    ...entries.map(({ key, value }) =>
      typeof key === "string" && value.fails === "never" ? "never" : "maybe",
    ),
  );
  return { kind: "MakeObject", entries, ...anything(node.span, "object literal"), type: "object", fails };
}

function planMetadata(node: MetadataExpression): Planned {
  const key = node.key?.text;
  const from = key === undefined ? "meta object" : `meta field ${key}`;
  return { kind: "ReadMetadata", key, ...anything(node.span, from), fails: "never" };
}

function planIndex(node: IndexAccess, scope: PlanScope): Planned {
  const target = planExpression(node.receiver, scope);
  const index = planExpression(node.index, scope);
  return { kind: "Index", target, index, ...anything(node.span, "index") };
}

function planSlice(node: Slice, scope: PlanScope): Planned {
  const target = planExpression(node.receiver, scope);
  const bound = (part: Expression | undefined) =>
    part === undefined ? undefined : planExpression(part, scope);
  const [start, stop, step] = [bound(node.start), bound(node.stop), bound(node.step)];
  return { kind: "Slice", target, start, stop, step, ...anything(node.span, "slice") };
}

function planBinary(node: Binary, scope: PlanScope): Planned {
  const left = planExpression(node.left, scope);
  const right = planExpression(node.right, scope);
  const { operator, span } = node;
  const facts = anything(span, right.from);
  switch (operator) {
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
      return {
        kind: "Calculate",
        operator,
        left,
        right,
        ...facts,
        type: operator === "+" ? "any" : "number",
      };
    case "&&":
    case "||": {
      const sure = left.type === "boolean" && right.type === "boolean";
      const fails = sure ? worst(left.fails, right.fails) : "maybe";
      return { kind: "Combine", operator, left, right, ...facts, type: "boolean", fails };
    }
    case "|":
      return planCoalesce(left, right, span, right.from);
    case "==":
    case "!=": {
      const fails = worst(left.fails, right.fails);
      return { kind: "Compare", operator, left, right, ...facts, type: "boolean", fails };
    }
    default:
      return { kind: "Compare", operator, left, right, ...facts, type: "boolean" };
  }
}
