// Decides whether earlier conditions of a chain are true whenever a later one is: `this.total > 100` before
// `this.total > 200`. Types do not show this, because they have no ranges of numbers.

import type { Builtin } from "../../../builtins/builtin.ts";
import { coreBuiltins } from "../../../builtins/catalogue.ts";
import type { Argument, BinaryOperator, Expression } from "../../../trees/mapping.ts";

/** A comparison of a value with a number. */
interface Bound {
  /** The text of the value. */
  readonly operand: string;
  readonly operator: BinaryOperator;
  readonly limit: number;
}

/** Whether a condition is never true where all `earlier` ones are false. */
export function isCovered(condition: Expression, earlier: readonly Expression[]): boolean {
  const taken = earlier.flatMap((each) => partsOf(each, "||"));
  return partsOf(condition, "&&").some((part) => taken.some((each) => follows(part, each)));
}

/** Whether one of two of the conditions is always true: `this.total > 100` and `this.total <= 100`, a test and its opposite. */
export function areComplete(conditions: readonly Expression[]): boolean {
  const parts = conditions.flatMap((each) => partsOf(each, "||"));
  return parts.some((part, index) => parts.slice(index + 1).some((other) => isOpposite(part, other)));
}

function isOpposite(part: Expression, other: Expression): boolean {
  const [bound, rest] = [boundOf(part), boundOf(other)];
  if (bound !== undefined && rest !== undefined) return meet(bound, rest) || meet(rest, bound);
  return denies(part, other) || denies(other, part);
}

/** Whether each number is above the limit of the first or below that of the second. */
function meet(above: Bound, below: Bound): boolean {
  if (above.operand !== below.operand) return false;
  if (!above.operator.startsWith(">") || !below.operator.startsWith("<")) return false;
  const isClosed = above.operator === ">=" || below.operator === "<=";
  return isClosed ? above.limit <= below.limit : above.limit < below.limit;
}

function denies(denial: Expression, denied: Expression): boolean {
  if (denial.kind === "Group") return denies(denial.inner, denied);
  if (denied.kind === "Group") return denies(denial, denied.inner);
  if (denial.kind === "Binary" && denied.kind === "Binary")
    return (
      denial.operator === "!=" &&
      denied.operator === "==" &&
      isRepeatable(denied) &&
      haveSameSides(denial, denied)
    );
  if (denial.kind !== "Not" || !isRepeatable(denied)) return false;
  const { operand } = denial;
  return textOf(operand.kind === "Group" ? operand.inner : operand) === textOf(denied);
}

type Sides = Extract<Expression, { readonly kind: "Binary" }>;

function haveSameSides(one: Sides, other: Sides): boolean {
  return textOf(one.left) === textOf(other.left) && textOf(one.right) === textOf(other.right);
}

/** Returns the sides of a chain of one operator. */
function partsOf(node: Expression, operator: BinaryOperator): readonly Expression[] {
  if (node.kind === "Group") return partsOf(node.inner, operator);
  if (node.kind !== "Binary" || node.operator !== operator) return [node];
  return [...partsOf(node.left, operator), ...partsOf(node.right, operator)];
}

/** Whether `other` is true whenever `part` is. */
function follows(part: Expression, other: Expression): boolean {
  const [bound, before] = [boundOf(part), boundOf(other)];
  if (bound !== undefined && before !== undefined) return isWithin(bound, before);
  return isRepeatable(part) && isRepeatable(other) && textOf(part) === textOf(other);
}

/** Whether all values within `bound` are within `outer`. */
function isWithin(bound: Bound, outer: Bound): boolean {
  if (bound.operand !== outer.operand) return false;
  const isAbove = bound.operator.startsWith(">");
  if (outer.operator === ">" || outer.operator === ">=") {
    const isOpen = outer.operator === ">" && bound.operator !== ">";
    return (isAbove || bound.operator === "==") && isBeyond(bound.limit, outer.limit, isOpen);
  }
  if (outer.operator === "<" || outer.operator === "<=") {
    const isOpen = outer.operator === "<" && bound.operator !== "<";
    return !isAbove && isBeyond(outer.limit, bound.limit, isOpen);
  }
  return false;
}

function isBeyond(limit: number, other: number, isOpen: boolean): boolean {
  return isOpen ? limit > other : limit >= other;
}

const flipped: Partial<Record<BinaryOperator, BinaryOperator>> = {
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
  "==": "==",
};

function boundOf(node: Expression): Bound | undefined {
  if (node.kind === "Group") return boundOf(node.inner);
  if (node.kind !== "Binary" || flipped[node.operator] === undefined) return undefined;
  const [left, right] = [numberOf(node.left), numberOf(node.right)];
  if (right !== undefined && isRepeatable(node.left))
    return { operand: textOf(node.left), operator: node.operator, limit: right };
  const operator = flipped[node.operator];
  if (left === undefined || operator === undefined || !isRepeatable(node.right)) return undefined;
  return { operand: textOf(node.right), operator, limit: left };
}

function numberOf(node: Expression): number | undefined {
  if (node.kind === "IntegerLiteral" || node.kind === "FloatLiteral") return Number(node.value);
  return undefined;
}

/** Whether an expression has the same value each time that it is evaluated for one message. */
function isRepeatable(node: Expression): boolean {
  switch (node.kind) {
    case "This":
    case "ContextName":
    case "Variable":
    case "Metadata":
    case "NullLiteral":
    case "BooleanLiteral":
    case "IntegerLiteral":
    case "FloatLiteral":
    case "StringLiteral":
      return true;
    case "FieldAccess":
      return isRepeatable(node.receiver);
    case "Group":
      return isRepeatable(node.inner);
    case "Not":
    case "Negate":
      return isRepeatable(node.operand);
    case "IndexAccess":
      return isRepeatable(node.receiver) && isRepeatable(node.index);
    case "Binary":
      return isRepeatable(node.left) && isRepeatable(node.right);
    case "ArrayLiteral":
      return node.elements.every(isRepeatable);
    case "FunctionCall":
      return isStable(coreBuiltins.findFunction(node.name.text)) && node.args.every(isRepeatableArgument);
    case "MethodCall":
      // Maps may call any function.
      return (
        node.name.text !== "apply" &&
        isStable(coreBuiltins.findMethod(node.name.text)) &&
        isRepeatable(node.receiver) &&
        node.args.every(isRepeatableArgument)
      );
    default:
      return false;
  }
}

function isRepeatableArgument({ value }: Argument): boolean {
  return isRepeatable(value);
}

/** Whether a builtin returns the same for the same message: it is pure, or reads only the message. */
function isStable(builtin: Builtin | undefined): boolean {
  return builtin?.pure === true || builtin?.needs === "run";
}

function textOf({ span: { source, start, end } }: Expression): string {
  return source.text.slice(start, end);
}
