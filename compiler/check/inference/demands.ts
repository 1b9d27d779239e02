// Checks a value against the types that its place accepts and returns the accepted part of its type. The rest is
// recorded as a failure, and reported if it is certain or if the author has declared that it can happen.

import type { DiagnosticCode, DiagnosticDetails } from "../../diagnostics/catalogue.ts";
import type { Expression } from "../../trees/mapping.ts";
import { type Alternative, alternativesOf } from "../../value-types/alternatives.ts";
import { type Kind, kindsOf } from "../../value-types/kinds.ts";
import { never, type Type, unknown } from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import { nullOriginOf } from "./null-origin.ts";
import { fail, type Scope } from "./scope.ts";
import type { TypeKinds } from "./type-sets.ts";

/** Whether a place accepts a value; "perhaps" if this depends on the value at run time. */
export type Answer = "yes" | "no" | "perhaps";

/** The types that a place accepts, and how to report others. */
export interface TypeDemand {
  readonly takes: (alternative: Alternative) => Answer;
  /** The operator or function that uses the value: `+`, `uppercase`. */
  readonly user: string;
  /** Reports types that are not accepted; `isCertain` if the value has no other type. */
  readonly report: (found: string, isCertain: boolean) => void;
}

/**
 * Returns the alternatives of `type` that `demand` accepts. Returns `Unknown` if a value of another type was reported
 * as certain: one mistake is enough. Returns `Never` if the value always fails but has a fallback.
 */
export function requireKinds(node: Expression, type: Type, demand: TypeDemand, scope: Scope): Type {
  if (type.kind === "Never") return type;
  const alternatives = alternativesOf(type);
  const [first] = alternatives;
  if (first?.kind === "Unknown") {
    fail(scope, node.span, "type", `\`${demand.user}\` may not accept it`);
    return unknown;
  }
  const answers = alternatives.map(demand.takes);
  const wrong = alternatives.filter((_, index) => answers[index] === "no");
  if (answers.includes("perhaps")) fail(scope, node.span, "type", `\`${demand.user}\` may not accept it`);
  if (wrong.length === 0) return type;
  const found = shownTypes(wrong);
  fail(scope, node.span, "type", `\`${demand.user}\` does not accept ${found}`);
  if (wrong.length === alternatives.length) {
    if (scope.isGuarded) return never;
    demand.report(found, true);
    return unknown;
  }
  if (!scope.isGuarded) reportPossible(node, wrong, demand, scope);
  return unionOf(alternatives.filter((_, index) => answers[index] !== "no"));
}

/** Whether a mistake in a value was reported, by its type before and after `requireKinds`. */
export function wasReported(before: Type, after: Type): boolean {
  return after.kind === "Unknown" && alternativesOf(before)[0]?.kind !== "Unknown";
}

function reportPossible(
  node: Expression,
  wrong: readonly Alternative[],
  demand: TypeDemand,
  scope: Scope,
): void {
  const others = wrong.filter(({ kind }) => kind !== "Null");
  if (others.length > 0) demand.report(shownTypes(others), false);
  else reportNull(node, demand.user, scope);
}

/** Reports once for each declaration that allows null for a value that nothing tests for null. */
function reportNull(node: Expression, user: string, scope: Scope): void {
  const origin = nullOriginOf(node, scope);
  const { nulls } = scope.inference.memory;
  if (origin === undefined || nulls.has(origin.span)) return;
  nulls.add(origin.span);
  const { source, start, end } = node.span;
  const related = { span: origin.span, message: `Declared ${origin.reason} here.` };
  scope.inference.report("GW3108", node.span, { value: source.text.slice(start, end), user }, related);
}

/** Reports one code if the mistake is certain, the other if it is only possible. */
export function reportMistake<C extends DiagnosticCode>(
  scope: Scope,
  codes: { readonly certain: C; readonly possible: C },
  node: { readonly span: Expression["span"] },
  details: DiagnosticDetails<C>,
  isCertain: boolean,
): void {
  scope.inference.report(isCertain ? codes.certain : codes.possible, node.span, details);
}

/** Accepts types of some kinds. */
export function ofTypeKinds(kinds: TypeKinds): TypeDemand["takes"] {
  return ({ kind }) => (kinds.has(kind) ? "yes" : "no");
}

/** Accepts values of a type, as far as the runtime checks: the kind, and the elements of arrays. */
export function ofType(accepted: Type): TypeDemand["takes"] {
  const wanted = alternativesOf(accepted);
  return (alternative) => {
    if (wanted.some(({ kind }) => kind === "Unknown")) return "yes";
    const same = wanted.find(({ kind }) => kind === alternative.kind);
    if (same === undefined) return "no";
    if (same.kind !== "Array" || alternative.kind !== "Array") return "yes";
    return elementsFit(alternative.items, same.items);
  };
}

function elementsFit(items: Type, accepted: Type): Answer {
  if (accepted.kind === "Unknown" || items.kind === "Never") return "yes";
  if (items.kind === "Unknown") return "perhaps";
  const answers = alternativesOf(items).map(ofType(accepted));
  if (answers.every((answer) => answer === "yes")) return "yes";
  // An array may be empty, but an array with only wrong elements is still a mistake.
  return answers.every((answer) => answer === "no") ? "no" : "perhaps";
}

/** Returns the kinds of types as words: `` `string` or `null` ``. */
export function shownTypes(types: readonly Type[]): string {
  const names = Array.from(kindsOf(unionOf(types)), (kind) => `\`${spellings[kind] ?? kind}\``);
  return listed(names);
}

/** Returns the words as a list: `a`, `a or b`, `a, b or c`. */
export function listed(words: readonly string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** Kinds that authors write differently from the result of `.type()`. */
const spellings: Partial<Record<Kind, string>> = { delete: "deleted()", nothing: "nothing()" };
