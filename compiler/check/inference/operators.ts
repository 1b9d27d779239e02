// Infers arithmetic and ordering operators.

import { unreachable } from "../../diagnostics/invariant.ts";
import type { Binary, Expression, Negate } from "../../trees/mapping.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import { fieldOf } from "../../value-types/fields.ts";
import { bool, float, integer, string, type Type, unknown } from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import { bareWord } from "../mapping/bare-words.ts";
import {
  ofTypeKinds,
  reportMistake,
  requireKinds,
  shownTypes,
  type TypeDemand,
  wasReported,
} from "./demands.ts";
import { fail, type Scope } from "./scope.ts";
import { numeric, type TypeKinds, textual } from "./type-sets.ts";
import { typeOfConstant } from "./values.ts";

/** Operators that need operands of certain types. */
export type Calculating = "+" | "-" | "*" | "/" | "%" | "<" | "<=" | ">" | ">=";

const numbers = unionOf([integer, float]);
/** Types on the left of `+`: a timestamp is not allowed. */
const addable: TypeKinds = new Set(["String", "Bytes", "Integer", "Float"]);
const comparable: TypeKinds = new Set([...numeric, ...textual]);

/**
 * Reports `this.content-type`: a name with a dash is read as two names and a minus. Returns whether it was reported.
 */
function reportDash(node: Binary, scope: Scope): boolean {
  const left = beginningOfName(node.left);
  const word = bareWord(firstOperand(node.right));
  const name = left.kind === "FieldAccess" ? left.name : left.kind === "Metadata" ? left.key : undefined;
  if (word === undefined || name === undefined || scope.isRepeated) return false;
  const { text } = name.span.source;
  const before = text.slice(name.span.end, word.span.start);
  if (!/^(?:-\w+)*-$/.test(before)) return false;
  if (fieldOf(scope.inference.infer(word.receiver, scope), word.name.text).declared) return false;
  const isMetadata =
    left.kind === "Metadata" || (left.kind === "FieldAccess" && isAllMetadata(left.receiver));
  const span = { ...name.span, end: word.name.span.end };
  scope.inference.report("GW3126", span, {
    left: name.text + before.slice(0, -1),
    right: word.name.text,
    isMetadata,
  });
  return true;
}

/** Whether the expression is `@`, which means all metadata. */
function isAllMetadata(node: Expression): boolean {
  return node.kind === "Metadata" && node.key === undefined;
}

/** Returns the first operand of a name with dashes that ends before an operator: `a` of `a-b`. */
function beginningOfName(node: Expression): Expression {
  let at = lastOperand(node);
  for (let chain = node; chain.kind === "Binary" && chain.operator === "-"; chain = chain.left) {
    const before = lastOperand(chain.left);
    if (chain.right !== at || bareWord(at) === undefined || before.span.end + 1 !== at.span.start) break;
    at = before;
  }
  return at;
}

/** Returns the operand directly before an operator: `b` of `a + b`. */
function lastOperand(node: Expression): Expression {
  let at = node;
  while (at.kind === "Binary") at = at.right;
  return at;
}

/** Returns the operand directly after an operator: `b` of `b.c.number()`. */
function firstOperand(node: Expression): Expression {
  let at = node;
  while (at.kind === "MethodCall" || (at.kind === "FieldAccess" && at.receiver.kind !== "This"))
    at = at.receiver;
  return at;
}

/** `a + b`, `a < b` and similar operators. */
export function inferCalculation(node: Binary, operator: Calculating, scope: Scope): Type {
  if (operator === "-" && reportDash(node, scope)) return unknown;
  const { infer, facts } = scope.inference;
  const left = infer(node.left, scope);
  const right = infer(node.right, scope);
  const folded = facts.folder.fold(node);
  if (folded !== undefined) {
    // Constants that cannot be combined are reported by an earlier check.
    if ("value" in folded) return typeOfConstant(folded.value);
    fail(scope, node.span, "type", folded.failure);
    return unknown;
  }
  switch (operator) {
    case "+":
      return addition(node, left, right, scope);
    case "-":
    case "*":
      return arithmetic(node, left, right, scope);
    case "/":
    case "%":
      return division(node, left, right, scope);
    case "<":
    case "<=":
    case ">":
    case ">=":
      return comparison(node, left, right, scope);
    default:
      return unreachable(operator);
  }
}

/** `-a`, which means `0 - a`. */
export function inferNegation(node: Negate, scope: Scope): Type {
  const operand = scope.inference.infer(node.operand, scope);
  const folded = scope.inference.facts.folder.fold(node);
  if (folded !== undefined && "value" in folded) return typeOfConstant(folded.value);
  const taken = requireKinds(node.operand, operand, demandOf(node.operand, "-", numeric, scope), scope);
  return wasReported(operand, taken) ? unknown : sumOf(integer, taken);
}

function comparison(node: Binary, left: Type, right: Type, scope: Scope): Type {
  const pair = paired(node, left, right, comparable, scope);
  if (pair.kind === "Never") return pair;
  return [left, right].some((side) => wasReported(side, pair)) ? unknown : bool;
}

function addition(node: Binary, left: Type, right: Type, scope: Scope): Type {
  const pair = paired(node, left, right, addable, scope);
  if (pair.kind === "Never") return pair;
  const isText = pair.kind !== "Unknown" && alternativesOf(pair).some(({ kind }) => textual.has(kind));
  const isNumber = pair.kind !== "Unknown" && alternativesOf(pair).some(({ kind }) => numeric.has(kind));
  if (pair.kind === "Unknown") return unknown;
  return unionOf([...(isText ? [string] : []), ...(isNumber ? [sumOf(left, right)] : [])]);
}

function arithmetic(node: Binary, left: Type, right: Type, scope: Scope): Type {
  const operator = node.operator;
  const a = requireKinds(node.left, left, demandOf(node.left, operator, numeric, scope), scope);
  // Two texts are one mistake.
  if (wasReported(left, a)) return unknown;
  const b = requireKinds(node.right, right, demandOf(node.right, operator, numeric, scope), scope);
  return wasReported(right, b) ? unknown : sumOf(a, b);
}

function division(node: Binary, left: Type, right: Type, scope: Scope): Type {
  const operator = node.operator;
  const a = requireKinds(node.left, left, demandOf(node.left, operator, numeric, scope), scope);
  const b = requireKinds(node.right, right, demandOf(node.right, operator, numeric, scope), scope);
  if (a.kind === "Never" || b.kind === "Never") return { kind: "Never" };
  const zero = divisorOf(node.right, b, operator);
  if (zero !== "other") fail(scope, node.right.span, "division", "the divisor may be zero");
  if (zero === "zero" && !scope.isGuarded) {
    scope.inference.report("GW3123", node.right.span, { operator });
    return unknown;
  }
  if (wasReported(left, a) || wasReported(right, b)) return unknown;
  return operator === "/" ? float : integer;
}

/** Returns whether a divisor is zero; `%` truncates fractions first. */
function divisorOf(node: Expression, type: Type, operator: string): "zero" | "other" | "unknown" {
  if (node.kind === "FloatLiteral") {
    return (operator === "%" ? Math.trunc(node.value) : node.value) === 0 ? "zero" : "other";
  }
  const values = alternativesOf(type).map((each) => (each.kind === "Integer" ? each.value : undefined));
  if (values.length === 0 || values.some((value) => value === undefined)) return "unknown";
  if (values.every((value) => value !== 0n)) return "other";
  return values.every((value) => value === 0n) ? "zero" : "unknown";
}

/** Returns the type of the result of `+`, `-` and `*`: a float if either operand is one. */
function sumOf(left: Type, right: Type): Type {
  if (left.kind === "Never" || right.kind === "Never") return { kind: "Never" };
  const both = [left, right].map(alternativesOf);
  const canBe = (kind: Type["kind"]) =>
    both.map((side) => side.some((each) => each.kind === kind || each.kind === "Unknown"));
  const integers = canBe("Integer").every(Boolean);
  const floats = canBe("Float").some(Boolean);
  if (integers && floats) return numbers;
  return integers ? integer : float;
}

/**
 * Requires both operands to be of one family, strings or numbers. Returns the families that they can have in common, as
 * types; `Never` if the operation always fails but has a fallback.
 */
function paired(node: Binary, left: Type, right: Type, onLeft: TypeKinds, scope: Scope): Type {
  const { operator } = node;
  const a = requireKinds(node.left, left, demandOf(node.left, operator, onLeft, scope), scope);
  const b = requireKinds(node.right, right, demandOf(node.right, operator, comparable, scope), scope);
  if (a.kind === "Never" || b.kind === "Never") return { kind: "Never" };
  const [familiesOfA, familiesOfB] = [familiesOf(a), familiesOf(b)];
  const common = familiesOfA.filter((family) => familiesOfB.includes(family));
  const isMixed = familiesOfA.length + familiesOfB.length > common.length * 2 || common.length > 1;
  if (isMixed) fail(scope, node.span, "type", `\`${operator}\` accepts two strings or two numbers`);
  if (common.length > 0 && isMixed) reportMixed(node, a, b, scope);
  if (common.length > 0) return common.length > 1 ? eitherUnknown(a, b) : representative(common);
  if (scope.isGuarded) return { kind: "Never" };
  const details = { operator, left: familiesOfA[0] ?? "", right: familiesOfB[0] ?? "" };
  scope.inference.report("GW3124", node.span, details);
  return unknown;
}

/** Reports an operand that may be text as well as a number, if the author has declared it so. */
function reportMixed(node: Binary, a: Type, b: Type, scope: Scope): void {
  if (scope.isGuarded || a.kind === "Unknown" || b.kind === "Unknown") return;
  const { operator } = node;
  const expected = "It accepts two strings or two numbers.";
  for (const [operand, type, other] of [
    [node.left, a, b],
    [node.right, b, a],
  ] as const) {
    const wrong = alternativesOf(type).filter((each) => !familiesOf(other).includes(familyOf(each)));
    if (wrong.length === 0) continue;
    scope.inference.report("GW3103", operand.span, { operator, found: shownTypes(wrong), expected });
    return;
  }
}

type Family = "string" | "number";

function familyOf({ kind }: Type): Family {
  return textual.has(kind) ? "string" : "number";
}

function familiesOf(type: Type): readonly Family[] {
  if (type.kind === "Unknown") return ["string", "number"];
  return [...new Set(alternativesOf(type).map(familyOf))];
}

function eitherUnknown(a: Type, b: Type): Type {
  return a.kind === "Unknown" && b.kind === "Unknown" ? unknown : unionOf([string, numbers]);
}

function representative([family]: readonly Family[]): Type {
  return family === "string" ? string : numbers;
}

/** Returns the types that an operator accepts, and how to report others. */
export function demandOf(operand: Expression, operator: string, kinds: TypeKinds, scope: Scope): TypeDemand {
  const codes = { certain: "GW3102", possible: "GW3103" } as const;
  const expected = expectations(kinds);
  return {
    takes: ofTypeKinds(kinds),
    user: operator,
    report: (found, isCertain) =>
      reportMistake(scope, codes, operand, { operator, found, expected }, isCertain),
  };
}

function expectations(kinds: TypeKinds): string {
  if (kinds.has("Bool")) return "It accepts booleans.";
  if (kinds.has("String")) return "It accepts two strings or two numbers.";
  return "It accepts numbers; convert a string with `.number()`.";
}
