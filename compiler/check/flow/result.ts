// Messages against the schema that a component declares of them, said field by field where the field was assigned.

import type { Report } from "../../diagnostics/sink.ts";
import type { Span } from "../../source/source.ts";
import type { ComponentNode } from "../../trees/api.ts";
import type { Assign, Statement } from "../../trees/mapping.ts";
import { explainMismatch } from "../../value-types/assignable.ts";
import { type Mismatch, type PathStep, printPath } from "../../value-types/mismatch.ts";
import { printType } from "../../value-types/print.ts";
import type { Type } from "../../value-types/type.ts";

/** Messages at a component that declares them. */
export interface Result {
  /** The processors that made them, in order. */
  readonly processors: readonly ComponentNode[];
  readonly component: ComponentNode;
  readonly result: Type;
  readonly wanted: Type;
}

/** Reports each difference between the result and what is declared. */
export function checkResult({ processors, component, result, wanted }: Result, report: Report): void {
  for (const mismatch of explainMismatch(result, wanted)) {
    const { path, problem, certain, closest, wantedSpan } = mismatch;
    const span = findPlace(mismatch, processors) ?? component.nameSpan;
    const details = {
      field: printPath(path),
      problem,
      found: mismatch.found && printType(mismatch.found),
      wanted: mismatch.wanted && printType(mismatch.wanted),
      closest,
    };
    const related = wantedSpan && { span: wantedSpan, message: "It is declared here." };
    report(certain ? "GW3200" : "GW3201", span, details, related);
  }
}

/** The last assignment of the field or of what holds it, in the mapping that made the message. */
function findPlace({ path, problem }: Mismatch, processors: readonly ComponentNode[]): Span | undefined {
  const last = processors.at(-1)?.config;
  if (last?.kind !== "Mapping") return undefined;
  // A field that is missing was assigned nowhere; what holds it was.
  const wanted = problem === "missing" ? path.slice(0, -1) : path;
  const assigns = last.mapping.statements.flatMap(assignsIn);
  for (let length = wanted.length; length >= 0; length--) {
    const found = assigns.findLast(({ target }) => isPath(target, wanted.slice(0, length)));
    if (found !== undefined) return targetSpan(found);
  }
  return undefined;
}

/** Assignments of a statement, those inside conditions included, in the order written. */
function assignsIn(statement: Statement): readonly Assign[] {
  if (statement.kind === "Assign") return [statement];
  if (statement.kind !== "IfStatement") return [];
  const inner = statement.branches.flatMap((branch) => branch.statements);
  return [...inner, ...(statement.otherwise ?? [])].flatMap(assignsIn);
}

function isPath(target: Assign["target"], path: readonly PathStep[]): boolean {
  return target.length === path.length && target.every((name, index) => name.text === path[index]);
}

/** The path that was assigned; of the whole root, the statement's own beginning. */
function targetSpan({ target, span }: Assign): Span {
  const [first, last] = [target[0], target.at(-1)];
  if (first === undefined || last === undefined) return { ...span, end: span.start + "root".length };
  return { ...first.span, end: last.span.end };
}
