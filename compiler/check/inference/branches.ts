// Infers `if` and `match` as values, lambdas, and `value.(query)`.

import { nearest } from "../../diagnostics/suggest.ts";
import type {
  Expression,
  ExpressionBranch,
  IfExpression,
  MapExpression,
  MatchCase,
  MatchExpression,
} from "../../trees/mapping.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import { nothingType, type Type } from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import { isCatchAllWord } from "../mapping/bare-words.ts";
import type { ConstantValue } from "../mapping/constant.ts";
import { shownValues, textOf, textsOf } from "./comparisons.ts";
import { ofTypeKinds, reportMistake, requireKinds } from "./demands.ts";
import { forkEnvironment, isContradiction, type TypeEnvironment } from "./environment.ts";
import { likenessOf } from "./equality.ts";
import { limited } from "./joining.ts";
import { isCovered } from "./narrowing/covered.ts";
import { narrowReference, referenceOf } from "./narrowing/references.ts";
import { equalTo, unlike } from "./narrowing/refiners.ts";
import { createPlace, plainView } from "./place.ts";
import { entered, type Scope, typeOfPlace, within } from "./scope.ts";
import type { TypeKinds } from "./type-sets.ts";

/** `if a { x } else { y }` as a value; `nothing()` if no branch applies. */
export function inferIf(node: IfExpression, scope: Scope): Type {
  const results: Type[] = [];
  let at = scope;
  for (const branch of node.branches) {
    const test = at.inference.test(branch.condition, at);
    requireBool(branch.condition, test.type, "expression", at);
    const taken = forkEnvironment(test.whenTrue());
    const result = at.inference.infer(branch.value, within(at, taken));
    if (isTaken(branch, taken, at)) results.push(result);
    at = within(at, forkEnvironment(test.whenFalse()));
  }
  reportCovered(
    node.branches.map(({ condition }) => condition),
    scope,
  );
  const isExhausted = isContradiction(at.environment, scope.environment);
  if (node.otherwise !== undefined) {
    const result = at.inference.infer(node.otherwise, at);
    if (!isExhausted) results.push(result);
  } else if (!isExhausted) results.push(nothingType);
  return limited(unionOf(results));
}

/**
 * Reports each condition that is never true because an earlier one is true for the same values, unless its inferred type
 * shows that already.
 */
export function reportCovered(
  conditions: readonly Expression[],
  { inference, isGuarded, isRepeated }: Scope,
): void {
  if (conditions.length < 2 || isGuarded || isRepeated) return;
  for (const [at, condition] of conditions.entries())
    if (!isNeverTrue(inference.types.get(condition)) && isCovered(condition, conditions.slice(0, at)))
      inference.report("GW3110", condition.span, { why: "a previous condition covers it" });
}

function isNeverTrue(type: Type | undefined): boolean {
  return type?.kind === "Bool" && type.value === false;
}

/** Whether a message can reach a branch. */
export function isTaken(
  branch: Pick<ExpressionBranch, "condition">,
  taken: TypeEnvironment,
  scope: Scope,
): boolean {
  const isNever = isNeverTrue(scope.inference.types.get(branch.condition));
  if (isNever && !scope.isGuarded && !scope.isRepeated) {
    scope.inference.report("GW3110", branch.condition.span, { why: "its condition is never true" });
  }
  return !isContradiction(taken, scope.environment);
}

const conditions = {
  expression: new Set(["Bool", "Null"]),
  statement: new Set(["Bool"]),
} as const satisfies Record<string, TypeKinds>;

/** Requires a bool as the condition of an `if`; in an expression, null is also allowed and counts as false. */
export function requireBool(node: Expression, type: Type, of: keyof typeof conditions, scope: Scope): void {
  const codes = { certain: "GW3111", possible: "GW3112" } as const;
  const demand = {
    takes: ofTypeKinds(conditions[of]),
    user: "if",
    report: (found: string, isCertain: boolean) => reportMistake(scope, codes, node, { found }, isCertain),
  };
  requireKinds(node, type, demand, scope);
}

/** `match subject { … }`; `nothing()` if no case applies. */
export function inferMatch(node: MatchExpression, scope: Scope): Type {
  let at = node.subject === undefined ? scope : enteredSubject(node.subject, scope);
  const start = at.environment;
  const subject = typeOfPlace(at, at.current);
  const results: Type[] = [];
  const literals = new Set<ConstantValue>();
  let isOpen = true;
  for (const each of node.cases) {
    const test = inferPattern(each, at, subject);
    if (test.isPossible && isOpen) reportRepeated(each, literals, at);
    const taken = forkEnvironment(test.whenTrue());
    const result = at.inference.infer(each.value, within(at, taken));
    if (isOpen && test.isPossible && !isContradiction(taken, at.environment)) results.push(result);
    else if (!isOpen)
      at.inference.report("GW3110", caseSpan(each), { why: "a previous case matches all values" });
    if (each.pattern === undefined) isOpen = false;
    at = within(at, forkEnvironment(test.whenFalse()));
  }
  // A pattern without `this` is a value that the subject is compared with.
  reportCovered(
    node.cases.flatMap(({ pattern }) => (pattern?.kind === "Binary" ? pattern : [])),
    scope,
  );
  if (isOpen && !isContradiction(at.environment, start)) {
    results.push(nothingType);
    reportUnmatched(node, subject, literals, at);
  }
  return limited(unionOf(results));
}

/** Reports values of an enumeration that no case matches, if the cases enumerate values. */
function reportUnmatched(
  { subject: node, cases }: MatchExpression,
  subject: Type,
  literals: ReadonlySet<ConstantValue>,
  scope: Scope,
): void {
  const [all, left] = [textsOf(subject), textsOf(typeOfPlace(scope, scope.current))];
  const isEnumeration = node !== undefined && all.length === alternativesOf(subject).length;
  if (!isEnumeration || literals.size < 2 || literals.size < cases.length || left.length === 0) return;
  if (!scope.isRepeated && !scope.isGuarded) scope.inference.report("GW3127", node.span, { values: left });
}

/** Reports a case with the same literal as an earlier case. */
function reportRepeated({ pattern }: MatchCase, literals: Set<ConstantValue>, scope: Scope): void {
  const folded = pattern === undefined ? undefined : scope.inference.facts.folder.fold(pattern);
  if (pattern === undefined || folded === undefined || !("value" in folded)) return;
  const { value } = folded;
  // Containers and floats are objects here and never identical.
  if (literals.has(value) && !scope.isRepeated)
    scope.inference.report("GW3110", pattern.span, { why: "a previous case matches this value" });
  literals.add(value);
}

function enteredSubject(subject: Expression, scope: Scope): Scope {
  const type = scope.inference.infer(subject, scope);
  return entered(scope, createPlace("this", referenceOf(subject, scope)), type);
}

function caseSpan(node: MatchCase): Expression["span"] {
  return (node.pattern ?? node).span;
}

interface Pattern {
  readonly isPossible: boolean;
  readonly whenTrue: () => TypeEnvironment;
  readonly whenFalse: () => TypeEnvironment;
}

function inferPattern({ pattern }: MatchCase, scope: Scope, whole: Type): Pattern {
  const { environment } = scope;
  const same = () => environment;
  if (pattern === undefined || isCatchAllWord(pattern))
    return { isPossible: true, whenTrue: same, whenFalse: same };
  const folded = scope.inference.facts.folder.fold(pattern);
  if (isLiteral(pattern, folded !== undefined)) return comparePattern(pattern, scope, whole);
  const test = scope.inference.test(pattern, scope);
  // Only true is a match, so a query that is never a bool is a case that never applies.
  const isPossible =
    test.type.kind === "Never" || likenessOf(test.type, { kind: "Bool", value: true }) !== "never";
  if (!isPossible && !scope.isRepeated) {
    scope.inference.report("GW3110", pattern.span, { why: "its expression is never `true`" });
  }
  return { isPossible, whenTrue: test.whenTrue, whenFalse: test.whenFalse };
}

/**
 * Whether the pattern is compared: folded literals, texts with variables, `deleted()` and `nothing()` (which equal
 * nothing).
 */
function isLiteral(pattern: Expression, isFolded: boolean): boolean {
  return (
    isFolded ||
    isVariableText(pattern) ||
    (pattern.kind === "FunctionCall" && ["deleted", "nothing"].includes(pattern.name.text))
  );
}

/** A text that is not known yet: a value that differs from it may still be any other text. */
function isVariableText(pattern: Expression): boolean {
  return pattern.kind === "Group" ? isVariableText(pattern.inner) : pattern.kind === "VariableText";
}

function comparePattern(pattern: Expression, scope: Scope, whole: Type): Pattern {
  const wanted = scope.inference.infer(pattern, scope);
  const reference = { place: scope.current, path: [], view: plainView };
  const subject = typeOfPlace(scope, scope.current);
  const isPossible = subject.kind === "Never" || likenessOf(subject, wanted) !== "never";
  // A case for null is harmless even if the value is never null.
  if (!isPossible && wanted.kind !== "Null" && !scope.isRepeated)
    reportImpossible(pattern, whole, wanted, scope);
  return {
    isPossible,
    whenTrue: () => narrowReference(scope.environment, reference, equalTo(wanted)),
    whenFalse: () =>
      isVariableText(pattern)
        ? scope.environment
        : narrowReference(scope.environment, reference, unlike(wanted)),
  };
}

/** Reports that a value never equals that of a case, or that earlier cases match it already. */
function reportImpossible(pattern: Expression, subject: Type, wanted: Type, scope: Scope): void {
  const written = textOf(wanted);
  const isTaken = likenessOf(subject, wanted) !== "never";
  const why = isTaken ? "a previous case matches this value" : `the value is ${shownValues(subject)}`;
  const near = written === undefined || isTaken ? {} : { written, ...nearest(written, textsOf(subject)) };
  scope.inference.report("GW3110", pattern.span, { why, ...near });
}

/** `receiver.(query)`, also written `receiver.map(query)`. */
export function inferMap({ receiver, body }: Pick<MapExpression, "receiver" | "body">, scope: Scope): Type {
  const type = scope.inference.infer(receiver, scope);
  const place = createPlace("this", referenceOf(receiver, scope));
  return scope.inference.infer(body, entered(scope, place, type));
}
