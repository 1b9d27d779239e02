// Computes expressions that need no message, if they have a value. Returns a folding that always fails as a failure,
// because the reference engine refuses such a mapping.

import type { Binary, Expression, MethodCall, ObjectEntry } from "../../trees/mapping.ts";
import { type ConstantValue, constantType, type FloatConstant, isNumeric } from "./constant.ts";

/** The value of an expression, or the reason why it never has one; `undefined` if it depends on the message. */
export type Folded = { readonly value: ConstantValue } | { readonly failure: string } | undefined;

/** Folds expressions, each once. */
export interface Folder {
  fold(expression: Expression): Folded;
}

/** Creates a folder without cached results. `foldCall` folds calls. */
export function createFolder(foldCall: (call: MethodCall) => Folded = () => undefined): Folder {
  const known = new Map<Expression, Folded>();
  const fold = (expression: Expression): Folded => {
    if (known.has(expression)) return known.get(expression);
    const folded = expression.kind === "MethodCall" ? foldCall(expression) : foldNode(expression, fold);
    known.set(expression, folded);
    return folded;
  };
  return { fold };
}

type Fold = (expression: Expression) => Folded;

function foldNode(node: Expression, fold: Fold): Folded {
  switch (node.kind) {
    case "NullLiteral":
      return { value: null };
    case "BooleanLiteral":
    case "IntegerLiteral":
    case "StringLiteral":
      return { value: node.value };
    case "FloatLiteral":
      return { value: { kind: "float", value: node.value } };
    case "Group":
      return fold(node.inner);
    case "ArrayLiteral":
      return foldArray(node.elements, fold);
    case "ObjectLiteral":
      return foldObject(node.entries, fold);
    case "Negate":
      return absenceMismatch("-", zero, node.operand, fold) ?? foldNegation(operandOf(node.operand, fold));
    case "Binary":
      return foldBinary(node, fold);
    default:
      return undefined;
  }
}

function knownValue(folded: Folded): ConstantValue | undefined {
  return folded !== undefined && "value" in folded ? folded.value : undefined;
}

function foldArray(elements: readonly Expression[], fold: Fold): Folded {
  const items: ConstantValue[] = [];
  for (const element of elements) {
    if (absenceOf(element) !== undefined) continue;
    const value = knownValue(fold(element));
    if (value === undefined) return undefined;
    items.push(value);
  }
  return { value: { kind: "array", items } };
}

function foldObject(written: readonly ObjectEntry[], fold: Fold): Folded {
  const entries = new Map<string, ConstantValue>();
  for (const entry of written) {
    const key = knownValue(fold(entry.key));
    if (typeof key !== "string") return undefined;
    if (absenceOf(entry.value) !== undefined) continue;
    const value = knownValue(fold(entry.value));
    if (value === undefined) return undefined;
    entries.set(key, value);
  }
  return { value: { kind: "object", entries } };
}

/** A known operand and its origin, as error messages name it: `number literal`. */
interface Operand {
  readonly value: ConstantValue;
  readonly from: string;
}

function operandOf(node: Expression, fold: Fold): Operand | undefined {
  const value = knownValue(fold(node));
  return value === undefined ? undefined : { value, from: originOf(node, fold) };
}

/** The reference engine gives a result the origin of the right operand. */
function originOf(node: Expression, fold: Fold): string {
  if (node.kind === "Group") return originOf(node.inner, fold);
  if (node.kind === "Negate") return originOf(node.operand, fold);
  if (node.kind === "Binary") return originOf(node.right, fold);
  const value = knownValue(fold(node));
  return value === undefined ? "" : `${constantType(value)} literal`;
}

function foldNegation(operand: Operand | undefined): Folded {
  return operand && calculate("-", zero, operand);
}

/** The left operand of a negation. */
const zero: Operand = { value: 0n, from: "number literal" };

/** Returns the failure of an operator on `deleted()` or `nothing()` and another literal; both count as literals. */
function absenceMismatch(
  operator: Binary["operator"],
  left: Expression | typeof zero,
  right: Expression,
  fold: Fold,
): Folded {
  const verb =
    operator in verbs ? verbs[operator as keyof typeof verbs] : orders.has(operator) ? "compare" : "";
  const operands = [left, right].map((operand) => {
    const absence = "kind" in operand ? absenceOf(operand) : undefined;
    if (absence !== undefined) return `${absence} (from ${absence})`;
    const known = "kind" in operand ? operandOf(operand, fold) : operand;
    return known && described(known);
  });
  const isMet = ("kind" in left && absenceOf(left) !== undefined) || absenceOf(right) !== undefined;
  if (verb === "" || !isMet || operands.includes(undefined)) return undefined;
  return { failure: `cannot ${verb} types ${operands.join(" and ")}` };
}

/** Returns the reference engine's name for the type of `deleted()` and `nothing()`. */
export function absenceOf(node: Expression): "delete" | "nothing" | undefined {
  if (node.kind === "Group") return absenceOf(node.inner);
  if (node.kind !== "FunctionCall" || node.args.length > 0) return undefined;
  if (node.name.text === "deleted") return "delete";
  return node.name.text === "nothing" ? "nothing" : undefined;
}

function foldBinary(node: Binary, fold: Fold): Folded {
  const mismatched = absenceMismatch(node.operator, node.left, node.right, fold);
  if (mismatched !== undefined) return mismatched;
  const left = operandOf(node.left, fold);
  const right = operandOf(node.right, fold);
  if (left === undefined || right === undefined) return undefined;
  switch (node.operator) {
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
      return calculate(node.operator, left, right);
    case "==":
    case "!=":
      return foldEquality(node.operator, left.value, right.value);
    case "<":
    case "<=":
    case ">":
    case ">=":
      return foldOrder(node.operator, left, right);
    default:
      // `!`, `&&`, `||` and `|` stay queries, as in the reference engine: the meaning of a `match` case depends on it.
      return undefined;
  }
}

const orders: ReadonlySet<Binary["operator"]> = new Set(["<", "<=", ">", ">="]);

const verbs = { "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "modulo" } as const;

function calculate(operator: keyof typeof verbs, first: Operand, second: Operand): Folded {
  const [left, right] = [first.value, second.value];
  if (operator === "+" && typeof left === "string" && typeof right === "string")
    return { value: left + right };
  if (!isNumeric(left) || !isNumeric(right)) return mismatch(verbs[operator], first, second);
  const [a, b] = [numberOf(left), numberOf(right)];
  if (operator === "/" || operator === "%") return divide(operator, a, b, left, right);
  if (typeof left === "bigint" && typeof right === "bigint") {
    const whole = operator === "+" ? left + right : operator === "-" ? left - right : left * right;
    return { value: BigInt.asIntN(64, whole) };
  }
  return float(operator === "+" ? a + b : operator === "-" ? a - b : a * b);
}

function divide(
  operator: "/" | "%",
  a: number,
  b: number,
  left: ConstantValue,
  right: ConstantValue,
): Folded {
  const divisor = operator === "/" ? b : Math.trunc(b);
  if (divisor === 0) return { failure: "number literal: attempted to divide by zero" };
  if (operator === "/") return float(a / b);
  // Modulo of fractions is rare, so it is left to the runtime, which rounds as the reference engine does.
  return typeof left === "bigint" && typeof right === "bigint" ? { value: left % right } : undefined;
}

function foldEquality(operator: "==" | "!=", left: ConstantValue, right: ConstantValue): Folded {
  return { value: constantEquality(left, right) === (operator === "==") };
}

/** The left side determines how to compare. */
function constantEquality(left: ConstantValue, right: ConstantValue): boolean {
  if (left === null) return right === null;
  if (typeof left === "string") return left === right;
  if (typeof left === "boolean") return isNumeric(right) ? left === (numberOf(right) !== 0) : left === right;
  if (isNumeric(left)) return isNumeric(right) && numberEquality(left, right);
  if (right === null || typeof right !== "object" || right.kind !== left.kind) return false;
  if (left.kind === "array" && right.kind === "array")
    return left.items.length === right.items.length && allEqual(left.items, right.items);
  if (left.kind !== "object" || right.kind !== "object") return false;
  const { entries } = right;
  // As at run time, a missing field counts as null.
  const others = [...left.entries.keys()].map((key) => entries.get(key) ?? null);
  return left.entries.size === entries.size && allEqual([...left.entries.values()], others);
}

function numberEquality(left: bigint | FloatConstant, right: bigint | FloatConstant): boolean {
  if (typeof left === "bigint" && typeof right === "bigint") return left === right;
  // As at run time, a whole number and a float compare as floats.
  return numberOf(left) === numberOf(right);
}

function allEqual(left: readonly ConstantValue[], right: readonly ConstantValue[]): boolean {
  return left.every((value, index) => constantEquality(value, right[index] ?? null));
}

function foldOrder(operator: "<" | "<=" | ">" | ">=", first: Operand, second: Operand): Folded {
  const [left, right] = [first.value, second.value];
  if (typeof left === "string" && typeof right === "string") return undefined;
  if (!isNumeric(left) || !isNumeric(right)) return mismatch("compare", first, second);
  const [a, b] =
    typeof left === "bigint" && typeof right === "bigint" ? [left, right] : [numberOf(left), numberOf(right)];
  if (operator === "<") return { value: a < b };
  if (operator === "<=") return { value: a <= b };
  return { value: operator === ">" ? a > b : a >= b };
}

function mismatch(verb: string, left: Operand, right: Operand): Folded {
  return { failure: `cannot ${verb} types ${described(left)} and ${described(right)}` };
}

function described({ value, from }: Operand): string {
  return `${constantType(value)} (from ${from})`;
}

function float(value: number): Folded {
  return Number.isFinite(value) ? { value: { kind: "float", value } } : undefined;
}

function numberOf(value: ConstantValue): number {
  if (typeof value === "bigint") return Number(value);
  return typeof value === "object" && value !== null && value.kind === "float" ? value.value : Number.NaN;
}
