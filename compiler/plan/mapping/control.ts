// Lowers the constructs that choose a value or change `this`: `if`, `match`, `value.(query)` and lambdas.

import type { IfExpression, Lambda, MapExpression, MatchCase, MatchExpression } from "../../trees/mapping.ts";
import { commonType, worst } from "./facts.ts";
import type { MatchArm, Planned } from "./ir.ts";
import { planThis } from "./paths.ts";
import { createLocal, entered, labelled, type PlanScope, planExpression } from "./scope.ts";

/** Lowers `if a { x } else { y }` as a value. If no branch is taken, the value is `nothing()`. */
export function planChoice(node: IfExpression, scope: PlanScope): Planned {
  const branches = node.branches.map((branch, index) => ({
    condition: planExpression(branch.condition, scope),
    position: index + 1,
    value: planExpression(branch.value, scope),
  }));
  const otherwise = node.otherwise === undefined ? undefined : planExpression(node.otherwise, scope);
  const values = [...branches.map((branch) => branch.value), ...(otherwise === undefined ? [] : [otherwise])];
  const conditions = branches.map(({ condition }) =>
    condition.type === "boolean" ? condition.fails : "maybe",
  );
  return {
    kind: "Choice",
    branches,
    otherwise,
    span: node.span,
    from: "if expression",
    type: otherwise === undefined ? "any" : commonType(values.map((value) => value.type)),
    fails: worst(...conditions, ...values.map((value) => value.fails)),
    absence: otherwise === undefined || values.some((value) => value.absence),
  };
}

/** Lowers `match subject { … }`. If no case matches, the value is `nothing()`. */
export function planMatch(node: MatchExpression, scope: PlanScope): Planned {
  const value = node.subject === undefined ? undefined : planExpression(node.subject, scope);
  const local = value === undefined ? undefined : createLocal(hintFor(value, "subject"));
  const inner = local === undefined ? scope : entered(scope, local);
  const cases = node.cases.map((each) => planCase(each, inner));
  const complete = cases.some(({ test }) => test.kind === "always");
  const values = cases.map((each) => each.value);
  return {
    kind: "Match",
    subject: value === undefined || local === undefined ? undefined : { local, value },
    cases,
    span: node.span,
    from: "match expression",
    type: complete ? commonType(values.map((each) => each.type)) : "any",
    fails: worst(value?.fails ?? "never", ...cases.flatMap((each) => [testFails(each), each.value.fails])),
    absence: !complete || values.some((each) => each.absence),
  };
}

function planCase(node: MatchCase, scope: PlanScope): MatchArm {
  const value = planExpression(node.value, scope);
  if (node.pattern === undefined) return { test: { kind: "always" }, value };
  const pattern = planExpression(node.pattern, scope);
  if (pattern.kind === "Constant" || pattern.kind === "Absence" || pattern.kind === "VariableText") {
    const subject = planThis(node.pattern.span, scope);
    return { test: { kind: "equals", value: pattern, subject }, value };
  }
  return { test: { kind: "holds", query: pattern }, value };
}

function testFails({ test }: MatchArm): Planned["fails"] {
  if (test.kind === "always") return "never";
  return test.kind === "equals" ? test.subject.fails : test.query.fails;
}

/** `value.(query)`, also spelled `value.map(query)`. */
export function planMapExpression(node: MapExpression, scope: PlanScope): Planned {
  const value = planExpression(node.receiver, scope);
  const local = createLocal(hintFor(value, "value"));
  const body = planExpression(node.body, entered(scope, local));
  const { from, type, absence } = body;
  return {
    kind: "Bind",
    local,
    value,
    body,
    span: node.span,
    from,
    type,
    absence,
    fails: worst(value.fails, body.fails),
  };
}

/** Lowers `name -> body`. The lambda only names the current `this`; inside the body, `this` is the previous context again. */
export function planLambda(node: Lambda, scope: PlanScope): Planned {
  return planExpression(node.body, labelled(scope, node.parameter.text));
}

/** Creates the local for the element that a query argument reads, named after the label of the lambda if it has one. */
export function elementLocal(
  query: { readonly kind: string },
  fallback: string,
): ReturnType<typeof createLocal> {
  const lambda = query.kind === "Lambda" ? (query as Lambda) : undefined;
  const label = lambda?.parameter.text;
  return createLocal(label === undefined || label === "_" ? fallback : label);
}

/** Returns a name for a value: the last field of its path, or `fallback`. */
function hintFor(value: Planned, fallback: string): string {
  return (value.kind === "Path" ? value.segments.at(-1) : undefined) ?? fallback;
}
