// Infers `a == b` and `a != b`, and reports comparisons with only one possible result.

import { nearest } from "../../diagnostics/suggest.ts";
import type { Binary, Expression, MethodCall } from "../../trees/mapping.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import { fieldOf } from "../../value-types/fields.ts";
import { bool, type Type } from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import { bareWord, literalsElsewhere } from "../mapping/bare-words.ts";
import { shownTypes } from "./demands.ts";
import { likenessOf } from "./equality.ts";
import { referenceOf } from "./narrowing/references.ts";
import type { Scope } from "./scope.ts";
import { typeOfConstant } from "./values.ts";

/** Returns the type of a comparison for equality. */
export function inferEquality(node: Binary, scope: Scope): Type {
  reportUnquoted(node, scope);
  const left = inferSide(node.left, node.right, scope);
  const right = inferSide(node.right, node.left, scope);
  const folded = scope.inference.facts.folder.fold(node);
  if (folded !== undefined && "value" in folded) return typeOfConstant(folded.value);
  const isNullCheck = [left, right].some(({ kind }) => kind === "Null");
  const isNever = left.kind !== "Never" && right.kind !== "Never" && likenessOf(left, right) === "never";
  // A comparison with null is harmless even if the value is never null.
  if (isNever && !isNullCheck && !scope.isGuarded && !scope.isRepeated)
    reportComparison(node, left, right, scope);
  return bool;
}

/** Reports `this.kind == scan`: compared with a complete path, a bare word was meant as text. */
function reportUnquoted(node: Binary, scope: Scope): void {
  const word = bareWord(node.right);
  if (word === undefined || scope.isRepeated || !startsInFull(node.left)) return;
  const { text } = word.name;
  if (literalsElsewhere.has(text) || fieldOf(scope.inference.infer(word.receiver, scope), text).declared)
    return;
  scope.inference.report("GW3125", word.span, { name: text, meant: "the text", instead: `"${text}"` });
}

function startsInFull(node: Expression): boolean {
  let at = node;
  while (at.kind === "FieldAccess") at = at.receiver;
  return at !== node && (at.kind === "ContextName" || (at.kind === "This" && !at.implicit));
}

/** Infers one side. A field that is compared with null may be missing. */
function inferSide(node: Expression, other: Expression, scope: Scope): Type {
  const mayMiss = other.kind === "NullLiteral" && referenceOf(node, scope) !== undefined;
  return scope.inference.infer(node, mayMiss ? { ...scope, isGuarded: true } : scope);
}

function reportComparison(node: Binary, left: Type, right: Type, scope: Scope): void {
  const isLiteral = node.right.kind === "StringLiteral" || node.left.kind !== "StringLiteral";
  const [literal, other] = isLiteral ? [node.right, left] : [node.left, right];
  const written = textOf(isLiteral ? right : left);
  const span = written === undefined ? node.span : literal.span;
  scope.inference.report("GW3109", span, {
    outcome: node.operator === "==" ? "never" : "always",
    left: shownValues(left),
    right: shownValues(right),
    ...(written === undefined
      ? {}
      : { written, values: textsOf(other), ...nearest(written, textsOf(other)) }),
  });
}

/**
 * Reports a text that `contains` never finds: an element of a literal array, or the argument, that resembles one of the
 * only values on the other side. Other texts may be left over from a longer list.
 */
export function reportContains(
  { name, receiver, args: [argument] }: MethodCall,
  target: Type,
  given: Type | undefined,
  scope: Scope,
): void {
  if (name.text !== "contains" || argument === undefined || given === undefined) return;
  if (scope.isGuarded || scope.isRepeated) return;
  const elements = receiver.kind === "ArrayLiteral" ? receiver.elements : [];
  for (const element of elements) reportNeverFound(element, given, scope);
  const items = alternativesOf(target).map((each) => (each.kind === "Array" ? each.items : undefined));
  if (elements.length === 0 && items.every((each) => each !== undefined))
    reportNeverFound(argument.value, unionOf(items), scope);
}

function reportNeverFound(node: Expression, values: Type, scope: Scope): void {
  if (node.kind !== "StringLiteral") return;
  const texts = textsOf(values);
  const known = alternativesOf(values).filter(({ kind }) => kind !== "Null");
  if (texts.length === 0 || texts.length < known.length || texts.includes(node.value)) return;
  const { closest } = nearest(node.value, texts);
  if (closest === undefined) return;
  const details = {
    outcome: "never",
    isContained: true,
    written: node.value,
    values: texts,
    closest,
  } as const;
  const shown = { left: shownValues({ kind: "String", value: node.value }), right: shownValues(values) };
  scope.inference.report("GW3109", node.span, { ...details, ...shown });
}

/** Returns the text of a type with exactly one text. */
export function textOf(type: Type): string | undefined {
  return type.kind === "String" ? type.value : undefined;
}

/** Returns the known texts of a type. */
export function textsOf(type: Type): readonly string[] {
  return alternativesOf(type).flatMap((each) =>
    each.kind === "String" && each.value !== undefined ? [each.value] : [],
  );
}

/** Returns the values if all of them are known, otherwise the kinds. */
export function shownValues(type: Type): string {
  const alternatives = alternativesOf(type);
  const texts = alternatives.flatMap((each) => literalOf(each) ?? []);
  if (texts.length === 0 || texts.length < alternatives.length || !texts.some((text) => text !== "null"))
    return shownTypes([type]);
  const shown = texts.length > shownAtMost ? texts.slice(0, shownAtMost - 1) : texts;
  const others = texts.length - shown.length;
  return [...shown.map((text) => `\`${text}\``), ...(others > 0 ? [`${others} others`] : [])].join(" or ");
}

function literalOf(type: Type): string | undefined {
  if (type.kind === "Null") return "null";
  if (type.kind === "Bool") return type.value === undefined ? undefined : String(type.value);
  return type.kind === "String" && type.value !== undefined ? JSON.stringify(type.value) : undefined;
}

const shownAtMost = 4;
